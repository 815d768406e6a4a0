import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createWorld, type World } from "../../organization/testing/world.ts";
import { basicOf, newClient, registryOf, tokenFor, withRegistry, type TestClient } from "../testing/registry.ts";

describe("a token of the registry", () => {
  let world: World;
  let client: TestClient;
  before(async () => {
    world = await createWorld(withRegistry());
    client = await newClient(world, { scopes: ["registry:pull"] });
  });
  after(() => world.close());

  test("lives for five minutes", async () => {
    const name = `orgs/acme/${world.acme.openApp.slug}`;
    const authorization = await tokenFor(world, client, `repository:${name}:pull`);
    const list = () => world.call("GET", `/v2/${name}/tags/list`, { headers: { authorization } });
    registryOf(world).clock.advance(299_000);
    assert.equal((await list()).status, 200);
    registryOf(world).clock.advance(2000);
    const answer = await list();
    assert.equal(answer.status, 401);
    assert.match(answer.headers.get("www-authenticate") ?? "", /error="invalid_token"/);
  });

  test("is refreshed for 90 days", async () => {
    const headers = { authorization: basicOf(client) };
    const { json } = await world.call("GET", "/v2/token?offline_token=true", { headers });
    assert.equal(typeof json["refresh_token"], "string");
    assert.equal(
      "refresh_token" in (await world.call("GET", "/v2/token", { headers })).json,
      false,
      "only when asked for",
    );
  });
});
