import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createRemoteJWKSet, jwtVerify } from "jose";
import * as oauth from "oauth4webapi";
import * as openid from "openid-client";
import { answerOf, openOauthServer, type OauthServer } from "../testing.ts";

describe("serverMetadata", () => {
  let server: OauthServer;
  before(async () => {
    server = await openOauthServer();
  });
  after(() => server.close());

  const PATH = "/.well-known/oauth-authorization-server";

  test("has the fields that RFC 8414 requires, with working addresses", async () => {
    const answer = await answerOf(await fetch(server.url + PATH));
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("cache-control"), "public, max-age=300");
    assert.equal(answer.body["issuer"], server.url);
    assert.deepEqual(answer.body["response_types_supported"], ["code"]);
    assert.deepEqual(answer.body["code_challenge_methods_supported"], ["S256"]);
    const device = "urn:ietf:params:oauth:grant-type:device_code";
    const grants = ["client_credentials", "authorization_code", "refresh_token", device];
    assert.deepEqual(answer.body["grant_types_supported"], grants);
    assert.equal(answer.body["authorization_endpoint"], `${server.url}/authorize`);
    assert.equal((await fetch(String(answer.body["jwks_uri"]))).status, 200);
    for (const name of [
      "token_endpoint",
      "introspection_endpoint",
      "revocation_endpoint",
      "device_authorization_endpoint",
    ]) {
      assert.equal((await fetch(String(answer.body[name]), { method: "POST" })).status, 400, name);
    }
  });

  test("accepts GET and HEAD only, and does not claim OpenID Connect", async () => {
    assert.equal((await fetch(server.url + PATH, { method: "HEAD" })).status, 200);
    const other = await fetch(server.url + PATH, { method: "POST", body: "" });
    assert.deepEqual([other.status, other.headers.get("allow")], [405, "GET, HEAD"]);
    assert.equal((await fetch(`${server.url}/.well-known/openid-configuration`)).status, 404);
  });

  test("openid-client finds everything by the metadata and gets a token in both ways", async () => {
    const { clientId, clientSecret } = await server.client();
    for (const auth of [openid.ClientSecretPost(clientSecret), openid.ClientSecretBasic(clientSecret)]) {
      const config = await openid.discovery(new URL(server.url), clientId, undefined, auth, {
        algorithm: "oauth2",
        execute: [openid.allowInsecureRequests],
      });
      const tokens = await openid.clientCredentialsGrant(config, {
        scope: "files:read",
        resource: "https://api.example",
      });
      assert.deepEqual([tokens.token_type, tokens.expires_in, tokens.scope], ["bearer", 900, "files:read"]);
      assert.equal((await openid.tokenIntrospection(config, tokens.access_token)).active, true);
      await openid.tokenRevocation(config, tokens.access_token);
      assert.equal((await openid.tokenIntrospection(config, tokens.access_token)).active, false);
      await assert.rejects(openid.clientCredentialsGrant(config, { scope: "org:write" }), { error: "invalid_scope" });
    }
  });

  test("oauth4webapi finds everything by the metadata, gets a token in both ways and parses our errors", async () => {
    const { clientId, clientSecret } = await server.client();
    const insecure = { [oauth.allowInsecureRequests]: true };
    const issuer = new URL(server.url);
    const as = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure }),
    );
    const client = { client_id: clientId };
    for (const auth of [oauth.ClientSecretPost(clientSecret), oauth.ClientSecretBasic(clientSecret)]) {
      const response = await oauth.clientCredentialsGrantRequest(
        as,
        client,
        auth,
        new URLSearchParams({ scope: "files:read" }),
        insecure,
      );
      const tokens = await oauth.processClientCredentialsResponse(as, client, response);
      assert.deepEqual([tokens.expires_in, tokens.scope], [900, "files:read"]);
      const introspection = await oauth.introspectionRequest(as, client, auth, tokens.access_token, insecure);
      assert.equal((await oauth.processIntrospectionResponse(as, client, introspection)).active, true);
    }
    const wrong = await oauth.clientCredentialsGrantRequest(
      as,
      client,
      oauth.ClientSecretBasic("wrong"),
      new URLSearchParams(),
      insecure,
    );
    await assert.rejects(
      oauth.processClientCredentialsResponse(as, client, wrong),
      (error: Error) => error instanceof oauth.WWWAuthenticateChallengeError,
    );
  });
});

describe("jwks", () => {
  let server: OauthServer;
  before(async () => {
    server = await openOauthServer();
  });
  after(() => server.close());

  test("a verifier with only the address verifies a token by the published keys", async () => {
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

  test("the keys may be cached for five minutes, have no private part, and include the next ones", async () => {
    const before = await answerOf(await fetch(`${server.url}/.well-known/jwks.json`));
    assert.equal(before.headers.get("cache-control"), "public, max-age=300");
    assert.equal((before.body["keys"] as object[]).length, 2);
    assert.equal(/"(d|p|q|dp|dq|qi)":/.test(before.text), false);
    await server.identity.keys.rotate();
    const later = await answerOf(await fetch(`${server.url}/.well-known/jwks.json`));
    assert.equal((later.body["keys"] as object[]).length, 4);
  });

  test("other methods get the list of allowed ones", async () => {
    const answer = await fetch(`${server.url}/.well-known/jwks.json`, { method: "DELETE" });
    assert.deepEqual([answer.status, answer.headers.get("allow")], [405, "GET, HEAD"]);
  });
});
