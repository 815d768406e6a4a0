import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createWorld, type World } from "../../organization/testing/world.ts";
import { registryOf, seeded, withRegistry, type Seeded } from "../testing/registry.ts";

describe("a manifest", () => {
  let world: World;
  let at: Seeded;
  before(async () => {
    world = await createWorld(withRegistry());
    at = await seeded(world);
  });
  after(() => world.close());

  test("is counted when it is pulled, by tag or digest, and not by HEAD", async () => {
    const { name, headers, manifest } = at;
    for (const [method, reference] of [
      ["GET", "v1"],
      ["GET", manifest],
      ["HEAD", "v1"],
    ] as const)
      assert.equal((await world.call(method, `/v2/${name}/manifests/${reference}`, { headers })).status, 200);
    await registryOf(world).pulls.flush();
    const { read } = world.metadata;
    const row = await read
      .selectFrom("registry_manifest")
      .selectAll()
      .where("digest", "=", manifest)
      .executeTakeFirst();
    assert.equal(row?.pulls, 2);
  });
});
