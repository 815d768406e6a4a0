import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { answerOf, openOauthServer, type OauthServer } from "../testing.ts";

let server: OauthServer;
before(async () => {
  server = await openOauthServer();
});
after(() => server.close());

test("a verifier that knows nothing but the address verifies a token by the published keys", async () => {
  const token = await server.token(await server.client());
  const keys = createRemoteJWKSet(new URL(`${server.url}/.well-known/jwks.json`));
  const currentDate = new Date(server.ground.clock.nowMs());
  const { payload } = await jwtVerify(token, keys, {
    issuer: server.url,
    audience: server.url,
    typ: "at+jwt",
    currentDate,
  });
  assert.equal(payload["scope"], "files:read files:write");
});

test("the keys may be kept for five minutes, have no private part, and the next ones are among them", async () => {
  const before = await answerOf(await fetch(`${server.url}/.well-known/jwks.json`));
  assert.equal(before.headers.get("cache-control"), "public, max-age=300");
  assert.equal((before.body["keys"] as object[]).length, 2);
  assert.equal(/"(d|p|q|dp|dq|qi)":/.test(before.text), false);
  await server.identity.keys.rotate();
  const later = await answerOf(await fetch(`${server.url}/.well-known/jwks.json`));
  assert.equal((later.body["keys"] as object[]).length, 4);
});

test("other methods are told which ones there are", async () => {
  const answer = await fetch(`${server.url}/.well-known/jwks.json`, { method: "DELETE" });
  assert.deepEqual([answer.status, answer.headers.get("allow")], [405, "GET, HEAD"]);
});
