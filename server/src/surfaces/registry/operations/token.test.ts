import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { personPrincipal } from "#domain/organizations/index.ts";
import { systemClock } from "#kernel/time.ts";
import { newSecret } from "#kernel/secrets.ts";
import { createWorld, type World } from "../../organization/testing/world.ts";
import {
  basicOf,
  newClient,
  registryOf,
  seeded,
  tokenFor,
  withRegistry,
  type TestClient,
} from "../testing/registry.ts";

const authorizationOf = (user: string, password: string): { authorization: string } => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`,
});

describe("an access token as the password", () => {
  let world: World;
  before(async () => {
    world = await createWorld(withRegistry());
  });
  after(() => world.close());

  /** Creates a credential with all scopes for images, and an access token of it with some of them, by a trust. */
  async function job(scope: string) {
    const actor = { kind: "system", id: "test", orgId: world.acme.id } as const;
    const { credentials, trusts, signIn, tokens } = world.identity;
    const input = { projectId: null, name: "ci", scopes: ["registry:pull", "registry:push"] };
    const { credential, clientSecret } = await credentials.create({ actor }, input);
    const trust = await trusts.create({ actor }, credential.id, {
      name: "main",
      issuer: "https://issuer.example",
      subject: "job:1",
    });
    const origin = { ip: "127.0.0.1", requestId: "req_test" };
    const state = await signIn.authenticate({ clientId: credential.clientId, clientSecret, ...origin });
    const { accessToken } = await tokens.issuer.issue(state, { scope, trustId: trust.id, ...origin });
    const end = () => trusts.delete({ actor }, trust.id);
    return { clientId: credential.clientId, accessToken, end };
  }

  test("logs its own client in, with its scopes, until its trust is deleted", async () => {
    const name = `orgs/acme/${world.acme.openApp.slug}`;
    const { clientId, accessToken, end } = await job("registry:pull");
    const headers = authorizationOf(clientId, accessToken);
    assert.equal((await world.call("GET", "/v2/", { headers })).status, 200);
    const scope = `scope=repository:${name}:pull,push&offline_token=true`;
    const { json } = await world.call("GET", `/v2/token?${scope}`, { headers });
    assert.equal("refresh_token" in json, false, "gets no token that outlives it");
    assert.ok(Number(json["expires_in"]) <= 300);
    const bearer = { authorization: `Bearer ${String(json["token"])}` };
    const list = (how: { authorization: string }) => world.call("GET", `/v2/${name}/tags/list`, { headers: how });
    const push = (how: { authorization: string }) => world.call("POST", `/v2/${name}/blobs/uploads/`, { headers: how });
    for (const how of [headers, bearer]) {
      assert.equal((await list(how)).status, 200);
      assert.equal((await push(how)).status, 403);
    }
    await end();
    for (const how of [headers, bearer]) assert.equal((await list(how)).status, 401);
  });

  test("lists only the repositories of its scopes, also with a registry token of it", async () => {
    await seeded(world);
    const names = async (headers: { authorization: string }) =>
      (await world.call("GET", "/v2/_catalog", { headers })).json["repositories"] as string[];
    for (const [scope, count] of [
      ["registry:pull", 1],
      ["registry:push", 0],
    ] as const) {
      const { clientId, accessToken } = await job(scope);
      const basic = authorizationOf(clientId, accessToken);
      const { json } = await world.call("GET", "/v2/token?scope=registry:catalog:*", { headers: basic });
      assert.equal((await names(basic)).length, count, scope);
      assert.equal((await names({ authorization: `Bearer ${String(json["token"])}` })).length, count, scope);
    }
  });

  test("is refused for other clients, and when it was altered", async () => {
    const { clientId, accessToken } = await job("registry:pull");
    const other = await job("registry:pull");
    for (const [user, password] of [
      [other.clientId, accessToken],
      ["owner@acme.localhost", accessToken],
      [clientId, `${accessToken.slice(0, -6)}AAAAAA`],
      [clientId, "eyJ.eyJ.eyJ"],
    ] as const) {
      const answer = await world.call("GET", "/v2/token", { headers: authorizationOf(user, password) });
      assert.equal(answer.status, 401, user);
      assert.match(answer.text, /incorrect username or password/);
    }
  });
});

describe("other clients' failures", () => {
  let world: World;
  before(async () => {
    world = await createWorld(withRegistry());
  });
  after(() => world.close());

  test("refuse neither a right client secret nor a right personal token; guesses must wait", async () => {
    const client = await newClient(world, { scopes: ["registry:pull"] });
    const owner = await personPrincipal(
      world.metadata.read,
      world.acme.id,
      world.acme.people.owner,
      systemClock.nowMs(),
    );
    assert.ok(owner !== undefined);
    const wanted = { name: "laptop", projectId: null, scopes: ["registry:pull"] };
    const { token } = await world.identity.credentials.createPersonal({ actor: owner }, owner, wanted);
    const ask = (path: string, user: string, password: string) =>
      world.call("GET", path, { headers: authorizationOf(user, password) });
    for (const [user, right, prefix] of [
      [client.clientId, client.clientSecret, "mrcs"],
      [owner.email, token, "mrpat"],
    ] as const) {
      const statuses: number[] = [];
      for (let i = 0; i < 12; i++) statuses.push((await ask("/v2/token", user, newSecret(prefix))).status);
      assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 401), 429, 429]);
      for (const path of ["/v2/token", "/v2/"]) assert.equal((await ask(path, user, right)).status, 200, path);
    }
  });
});

describe("a token of the registry", () => {
  let world: World;
  let client: TestClient;
  before(async () => {
    world = await createWorld(withRegistry());
    client = await newClient(world, { scopes: ["registry:pull"] });
  });
  after(() => world.close());

  test("is valid for five minutes", async () => {
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

  test("can be refreshed for 90 days", async () => {
    const headers = { authorization: basicOf(client) };
    const { json } = await world.call("GET", "/v2/token?offline_token=true", { headers });
    assert.equal(typeof json["refresh_token"], "string");
    assert.equal("refresh_token" in (await world.call("GET", "/v2/token", { headers })).json, false, "only on request");
  });
});
