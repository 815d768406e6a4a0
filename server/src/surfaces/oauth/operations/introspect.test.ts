import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { decodeJwt } from "jose";
import { OTHER_ORG_ID } from "#domain/identity/testing.ts";
import { openOauthServer, type OauthServer } from "../testing.ts";

let server: OauthServer;
let client: { id: string; clientId: string; clientSecret: string };
let token: string;
before(async () => {
  server = await openOauthServer();
  client = await server.client();
  token = await server.token(client);
});
after(() => server.close());

const own = (): Record<string, string> => ({ client_id: client.clientId, client_secret: client.clientSecret });
const stranger = () => server.client({ actor: { kind: "system", id: null, orgId: OTHER_ORG_ID } });

test("a good token of the organization is active, with its claims and its present scopes", async () => {
  const reader = await server.client({ scopes: ["apps:read"] });
  for (const answer of [
    await server.post("/oauth/introspect", { token, ...own() }),
    await server.post(
      "/oauth/introspect",
      { token, token_type_hint: "access_token" },
      { basic: `${client.clientId}:${client.clientSecret}` },
    ),
    await server.post("/oauth/introspect", { token }, { bearer: token }),
    await server.post("/oauth/introspect", { token }, { bearer: await server.token(reader) }),
  ]) {
    const { iss, aud, sub, jti, iat, exp, org } = decodeJwt(token);
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.body, {
      active: true,
      token_type: "Bearer",
      scope: "files:read files:write",
      client_id: client.clientId,
      iss,
      aud,
      sub,
      jti,
      iat,
      exp,
      org,
    });
    assert.equal(answer.headers.get("cache-control"), "no-store");
  }
});

test("of anything else it says no more than that it is not active", async () => {
  const foreign = await stranger();
  const narrowed = await server.client();
  const voided = await server.token(narrowed);
  await server.post("/oauth/revoke", {
    token: voided,
    client_id: narrowed.clientId,
    client_secret: narrowed.clientSecret,
  });
  for (const [candidate, by] of [
    [await server.token(foreign), client],
    [token, foreign],
    [voided, client],
    ["nonsense", client],
    [`${token.slice(0, -4)}AAAA`, client],
    [client.clientSecret, client],
  ] as const) {
    const answer = await server.post("/oauth/introspect", {
      token: candidate,
      client_id: by.clientId,
      client_secret: by.clientSecret,
    });
    assert.deepEqual([answer.status, answer.body], [200, { active: false }]);
  }
});

test("scopes that were taken away since are not told", async () => {
  const creator = await server.ground.person("developer");
  const made = await server.client({ actor: creator });
  const issued = await server.token(made);
  await server.ground.setRole(creator.id, "viewer");
  await server.identity.feed.sync();
  assert.equal((await server.post("/oauth/introspect", { token: issued, ...own() })).body["scope"], "files:read");
});

test("callers who don't authenticate are refused", async () => {
  const none = await server.post("/oauth/introspect", { token });
  assert.deepEqual([none.status, none.body["error"]], [401, "invalid_client"]);
  const wrong = await server.post("/oauth/introspect", { token, client_id: client.clientId, client_secret: "wrong" });
  assert.deepEqual([wrong.status, wrong.body["error"]], [401, "invalid_client"]);
  const bearer = await server.post("/oauth/introspect", { token }, { bearer: "nonsense" });
  assert.deepEqual([bearer.status, bearer.body["error"]], [401, "invalid_token"]);
  assert.match(bearer.headers.get("www-authenticate") ?? "", /^Bearer .*error="invalid_token"/);
  const missing = await server.post("/oauth/introspect", own());
  assert.deepEqual([missing.status, missing.body["error"]], [400, "invalid_request"]);
});
