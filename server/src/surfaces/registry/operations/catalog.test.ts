import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createWorld, type World } from "../../organization/testing/world.ts";
import { basicOf, newClient, seeded, withRegistry } from "../testing/registry.ts";

describe("the catalog", () => {
  let world: World;
  before(async () => {
    world = await createWorld(withRegistry());
    await seeded(world);
  });
  after(() => world.close());

  test("has nothing of another organization or of an unreachable project", async () => {
    const scopes = ["registry:pull"] as const;
    const names = async (options: { tenant?: typeof world.acme; projectId?: string }) => {
      const client = await newClient(world, { ...options, scopes });
      return (await world.call("GET", "/v2/_catalog", { headers: { authorization: basicOf(client) } })).json[
        "repositories"
      ];
    };
    assert.deepEqual(await names({}), [`orgs/acme/${world.acme.openApp.slug}`]);
    assert.deepEqual(await names({ tenant: world.rival }), []);
    assert.deepEqual(await names({ projectId: world.acme.closed.id }), []);
  });
});
