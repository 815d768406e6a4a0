import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createWorld, type World } from "../../organization/testing/world.ts";
import { digestOf, registryOf, seeded, withRegistry, type Seeded } from "../testing/registry.ts";

describe("an upload", () => {
  let world: World;
  let at: Seeded;
  before(async () => {
    world = await createWorld(withRegistry({ uploadLifetimeMs: 100_000 }));
    at = await seeded(world);
  });
  after(() => world.close());

  test("expires some time after its last byte, also without any", async () => {
    const { clock } = registryOf(world);
    const { name } = at;
    const call = async (method: string, path: string, body?: unknown) => {
      const authorization = `Basic ${Buffer.from(`${at.client.clientId}:${at.client.clientSecret}`).toString("base64")}`;
      return world.call(method, path, { headers: { authorization }, ...(body === undefined ? {} : { body }) });
    };
    const begin = async () => (await call("POST", `/v2/${name}/blobs/uploads/`)).headers.get("location") ?? "";
    const [empty, active] = [await begin(), await begin()];
    clock.advance(80_000);
    assert.equal((await call("PATCH", active, { a: 1 })).status, 202);
    clock.advance(80_000);
    assert.equal((await call("GET", empty)).status, 404);
    assert.equal((await call("GET", active)).headers.get("range"), "0-6");
    assert.equal((await call("PUT", `${active}?digest=${digestOf('{"a":1}')}`)).status, 201);
    assert.equal((await call("GET", active)).status, 404);
  });
});
