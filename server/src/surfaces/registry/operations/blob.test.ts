import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createWorld, type World } from "../../organization/testing/world.ts";
import { digestOf, registryOf, seeded, withRegistry, type Seeded } from "../testing/registry.ts";

describe("the lease of a blob", () => {
  let world: World;
  let at: Seeded;
  before(async () => {
    world = await createWorld(withRegistry({ leaseMs: 100_000 }));
    at = await seeded(world);
  });
  after(() => world.close());

  async function leaseOf(digest: string): Promise<number | null | undefined> {
    const query = world.metadata.read.selectFrom("registry_blob").select("lease_until").where("digest", "=", digest);
    return (await query.executeTakeFirst())?.lease_until;
  }

  test("is renewed only by HEAD, once half of it is over", async () => {
    const { name, headers } = at;
    const digest = digestOf("[]");
    await world.call("POST", `/v2/${name}/blobs/uploads/?digest=${digest}`, { headers, body: [] });
    const first = await leaseOf(digest);
    const ask = (method: string) => world.call(method, `/v2/${name}/blobs/${digest}`, { headers });
    assert.equal((await ask("HEAD")).status, 200);
    assert.equal(await leaseOf(digest), first, "HEAD in the first half writes nothing");
    registryOf(world).clock.advance(60_000);
    assert.equal((await ask("GET")).status, 200);
    assert.equal(await leaseOf(digest), first);
    assert.equal((await ask("HEAD")).status, 200);
    assert.ok(Number(await leaseOf(digest)) >= Number(first) + 60_000);
    assert.equal(await leaseOf(digestOf("{}")), null, "a blob of a manifest has none");
  });
});
