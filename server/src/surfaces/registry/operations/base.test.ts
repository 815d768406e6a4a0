import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createWorld, type World } from "../../organization/testing/world.ts";
import { newClient, tokenFor, withRegistry } from "../testing/registry.ts";

describe("the base of the registry", () => {
  let world: World;
  before(async () => {
    world = await createWorld(withRegistry());
  });
  after(() => world.close());

  test("allows every signed-in caller, with any permissions", async () => {
    const client = await newClient(world, { scopes: ["org:read"] });
    const authorization = await tokenFor(world, client);
    for (const path of ["/v2", "/v2/"]) {
      assert.equal((await world.call("GET", path, { headers: { authorization } })).status, 200);
      assert.equal((await world.call("GET", path)).status, 401);
      assert.equal((await world.call("POST", path)).status, 405);
    }
  });
});
