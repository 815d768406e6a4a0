/** POST /oauth/token and related endpoints: RFC 6749, 6750, 7009, 7662, 8414, 9068, and CONTRACT "Identity". */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { promisify } from "node:util";
import * as oauth from "oauth4webapi";
import * as openid from "openid-client";
import { basic, postForm, type Answer } from "../fixtures/http.ts";
import { decodeJwt, signedBy, type Jwk } from "../fixtures/jwt.ts";
import { ALL_SCOPES } from "../fixtures/scopes.ts";
import { useSharedServer, type Client } from "../fixtures/server.ts";

const run = promisify(execFile);
const shared = useSharedServer();

interface TokenBody {
  access_token: string;
  token_type: string;
  expires_in: number;
  scope: string;
  error?: string;
  error_description?: string;
}

function ask(
  fields: Record<string, string> | URLSearchParams,
  headers: Record<string, string> = {},
): Promise<Answer<TokenBody>> {
  return postForm<TokenBody>(shared.server.origin, "/oauth/token", fields, headers);
}

function grant(extra: Record<string, string> = {}): Record<string, string> {
  return { grant_type: "client_credentials", ...shared.home.credential, ...extra };
}

function sorted(scope: unknown): string[] {
  return String(scope).split(" ").toSorted();
}

test("client_secret_post gets a token with every scope of the credential", async () => {
  const answer = await ask(grant());
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(Object.keys(answer.body).toSorted(), ["access_token", "expires_in", "scope", "token_type"]);
  assert.equal(answer.body.token_type, "Bearer");
  assert.equal(answer.body.expires_in, 900);
  assert.deepEqual(sorted(answer.body.scope), [...ALL_SCOPES].toSorted());
  assert.match(answer.headers.get("content-type") ?? "", /^application\/json/);
  assert.equal(answer.headers.get("cache-control"), "no-store");
  assert.equal(answer.headers.get("pragma"), "no-cache");
});

test("client_secret_basic gets a token, with the percent-encoding of RFC 6749 section 2.3.1", async () => {
  const { client_id, client_secret } = shared.home.credential;
  const plain = await ask({ grant_type: "client_credentials" }, basic(client_id, client_secret));
  assert.equal(plain.status, 200, plain.text);
  const encoded = (text: string): string => text.replaceAll("_", "%5F").replaceAll("a", "%61");
  const escaped = await ask({ grant_type: "client_credentials" }, basic(encoded(client_id), encoded(client_secret)));
  assert.equal(escaped.status, 200, escaped.text);
});

test("the scheme of the Authorization field is case-insensitive", async () => {
  const { client_id, client_secret } = shared.home.credential;
  const field = basic(client_id, client_secret).authorization.replace("Basic", "bAsIC");
  assert.equal((await ask({ grant_type: "client_credentials" }, { authorization: field })).status, 200);
});

test("a subset of scopes is granted in any order, once each", async () => {
  const answer = await ask(grant({ scope: "telemetry:write org:read telemetry:write" }));
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(sorted(answer.body.scope), ["org:read", "telemetry:write"]);
  assert.deepEqual(sorted(decodeJwt(answer.body.access_token).claims["scope"]), ["org:read", "telemetry:write"]);
  const turned = await ask(grant({ scope: "org:read telemetry:write" }));
  assert.equal(turned.body.scope, answer.body.scope);
});

test("a scope without a value counts as not sent (RFC 6749 section 3.1)", async () => {
  const answer = await ask(grant({ scope: "" }));
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(sorted(answer.body.scope), [...ALL_SCOPES].toSorted());
});

test("a scope that the credential lacks is invalid_scope", async () => {
  const { body: small } = await shared.server.call<Client>("POST", "/v1/credentials", {
    token: shared.token,
    json: { name: "small", scopes: ["org:read"] },
  });
  const answer = await ask({
    grant_type: "client_credentials",
    client_id: small.client_id,
    client_secret: small.client_secret,
    scope: "org:read org:write",
  });
  assert.equal(answer.status, 400, answer.text);
  assert.equal(answer.body.error, "invalid_scope");
});

interface Refusal {
  readonly name: string;
  readonly fields: () => Record<string, string> | URLSearchParams;
  readonly headers?: () => Record<string, string>;
  readonly status: number;
  readonly error: string;
}

const REFUSALS: readonly Refusal[] = [
  { name: "no grant_type", fields: () => ({ ...shared.home.credential }), status: 400, error: "invalid_request" },
  {
    name: "another grant_type",
    fields: () => grant({ grant_type: "password" }),
    status: 400,
    error: "unsupported_grant_type",
  },
  {
    name: "the grant type in capitals",
    fields: () => grant({ grant_type: "CLIENT_CREDENTIALS" }),
    status: 400,
    error: "unsupported_grant_type",
  },
  {
    name: "an unknown scope",
    fields: () => grant({ scope: "org:read nonsense" }),
    status: 400,
    error: "invalid_scope",
  },
  {
    name: "an unknown scope",
    fields: () => grant({ scope: 'org:read"\\' }),
    status: 400,
    error: "invalid_scope",
  },
  {
    name: "no client at all",
    fields: () => ({ grant_type: "client_credentials" }),
    status: 401,
    error: "invalid_client",
  },
  {
    name: "no secret",
    fields: () => ({ grant_type: "client_credentials", client_id: shared.home.credential.client_id }),
    status: 401,
    error: "invalid_client",
  },
  { name: "an empty secret", fields: () => grant({ client_secret: "" }), status: 401, error: "invalid_client" },
  {
    name: "an unknown client",
    fields: () => grant({ client_id: `mrc_${"0".repeat(26)}` }),
    status: 401,
    error: "invalid_client",
  },
  {
    name: "a secret of another form",
    fields: () => grant({ client_secret: "nothing like it" }),
    status: 401,
    error: "invalid_client",
  },
  {
    name: "Basic that is not base64",
    fields: () => ({ grant_type: "client_credentials" }),
    headers: () => ({ authorization: "Basic !!!" }),
    status: 401,
    error: "invalid_client",
  },
  {
    name: "both methods at once",
    fields: () => grant(),
    headers: () => basic(shared.home.credential.client_id, shared.home.credential.client_secret),
    status: 400,
    error: "invalid_request",
  },
  {
    name: "a repeated parameter",
    fields: () => new URLSearchParams([...Object.entries(grant()), ["scope", "org:read"], ["scope", "org:write"]]),
    status: 400,
    error: "invalid_request",
  },
];

for (const refusal of REFUSALS) {
  test(`a token request with ${refusal.name} is ${refusal.error}`, async () => {
    const answer = await ask(refusal.fields(), refusal.headers?.());
    assert.equal(answer.status, refusal.status, answer.text);
    assert.equal(answer.body.error, refusal.error);
    assert.match(answer.headers.get("content-type") ?? "", /^application\/json/);
    assert.equal(answer.headers.get("cache-control"), "no-store");
    assert.match(
      String(answer.body.error_description ?? ""),
      /^[\x20-\x21\x23-\x5b\x5d-\x7e]*$/,
      "RFC 6749 section 5.2's characters",
    );
    if (refusal.status === 401) assert.match(answer.headers.get("www-authenticate") ?? "", /^Basic /i);
  });
}

test("a body that is not a form is invalid_request", async () => {
  const answer = await shared.server.call<TokenBody>("POST", "/oauth/token", { json: grant() });
  assert.ok(answer.status === 400 || answer.status === 415, answer.text);
  assert.equal(answer.body.error, "invalid_request");
});

test("an unknown client and a wrong secret get the same answer", async () => {
  const wrong = `${shared.home.credential.client_secret.slice(0, -1)}${shared.home.credential.client_secret.endsWith("0") ? "1" : "0"}`;
  const a = await ask(grant({ client_secret: wrong }));
  const b = await ask(
    grant({ client_id: shared.home.credential.client_id.replace(/.$/, (last) => (last === "0" ? "1" : "0")) }),
  );
  assert.equal(a.status, 401);
  assert.equal(a.text, b.text);
});

test("other methods on the token endpoint are 405", async () => {
  for (const method of ["GET", "PUT", "DELETE"]) {
    const answer = await shared.server.call(method, "/oauth/token");
    assert.equal(answer.status, 405, answer.text);
    assert.match(answer.headers.get("allow") ?? "", /\bPOST\b/);
  }
});

test("the metadata of RFC 8414 name every endpoint, method and scope", async () => {
  const { body, headers } = await shared.server.call("GET", "/.well-known/oauth-authorization-server");
  const origin = shared.server.origin;
  assert.match(headers.get("content-type") ?? "", /^application\/json/);
  assert.equal(body["issuer"], origin);
  for (const name of ["token_endpoint", "jwks_uri", "introspection_endpoint", "revocation_endpoint"]) {
    assert.ok(String(body[name]).startsWith(`${origin}/`), `${name}: ${String(body[name])}`);
  }
  assert.equal(body["token_endpoint"], `${origin}/oauth/token`);
  assert.equal(body["jwks_uri"], `${origin}/.well-known/jwks.json`);
  const grants = ["client_credentials", "authorization_code", "refresh_token"];
  assert.deepEqual((body["grant_types_supported"] as string[]).slice(0, 3), grants);
  const methods = (body["token_endpoint_auth_methods_supported"] as string[]).toSorted();
  assert.deepEqual(methods, ["client_secret_basic", "client_secret_post", "none"]);
  assert.deepEqual((body["scopes_supported"] as string[]).toSorted(), [...ALL_SCOPES].toSorted());
});

async function keySet(): Promise<readonly Jwk[]> {
  return (await shared.server.call<{ keys: Jwk[] }>("GET", "/.well-known/jwks.json")).body.keys;
}

test("the key set has public ES256 and RS256 keys and nothing private", async () => {
  const keys = await keySet();
  assert.deepEqual([...new Set(keys.map((key) => key.alg))].toSorted(), ["ES256", "RS256"]);
  assert.equal(new Set(keys.map((key) => key.kid)).size, keys.length);
  for (const key of keys) {
    assert.equal(key.use, "sig");
    for (const member of ["d", "p", "q", "dp", "dq", "qi", "k", "oth"])
      assert.ok(!(member in key), `${member} of ${key.kid}`);
  }
});

test("a token is a JWT of RFC 9068 that the published keys verify", async () => {
  const { body } = await ask(grant());
  const { header, claims } = decodeJwt(body.access_token);
  assert.equal(header["typ"], "at+jwt");
  assert.equal(header["alg"], "ES256");
  assert.ok(signedBy(body.access_token, await keySet()));
  const nowS = Date.now() / 1000;
  assert.equal(claims["iss"], shared.server.origin);
  assert.ok(claims["aud"]);
  assert.equal(claims["client_id"], shared.home.credential.client_id);
  assert.equal(typeof claims["sub"], "string");
  assert.equal(claims["org"], shared.home.org.id);
  assert.equal(claims["scope"], body.scope);
  assert.equal(typeof claims["jti"], "string");
  assert.ok(Math.abs(Number(claims["iat"]) - nowS) < 10);
  assert.equal(Number(claims["exp"]) - Number(claims["iat"]), body.expires_in);
  const again = decodeJwt((await ask(grant())).body.access_token);
  assert.notEqual(again.claims["jti"], claims["jti"]);
});

test("the organization sets the lifetime, from 300 to 3600 s", async () => {
  const change = (token_lifetime_s: number): Promise<Answer> =>
    shared.server.call("PATCH", "/v1/organization", { token: shared.token, json: { token_lifetime_s } });
  assert.equal((await change(299)).status, 400);
  assert.equal((await change(3601)).status, 400);
  assert.equal((await change(300)).status, 200);
  const { body } = await ask(grant());
  assert.equal(body.expires_in, 300);
  const { claims } = decodeJwt(body.access_token);
  assert.equal(Number(claims["exp"]) - Number(claims["iat"]), 300);
  assert.equal((await change(900)).status, 200);
});

const CURL = ["/usr/bin/curl", "/usr/local/bin/curl"].find((path) => existsSync(path));

test(
  "curl gets a token with --data and with -u",
  { skip: CURL === undefined ? "curl is not installed" : false },
  async () => {
    const { client_id, client_secret } = shared.home.credential;
    const url = `${shared.server.origin}/oauth/token`;
    const forms = [
      ["--data", `grant_type=client_credentials&client_id=${client_id}&client_secret=${client_secret}&scope=org:read`],
      ["-u", `${client_id}:${client_secret}`, "-d", "grant_type=client_credentials", "-d", "scope=org:read"],
    ];
    for (const form of forms) {
      const { stdout } = await run(String(CURL), ["-sS", "--fail-with-body", ...form, url]);
      const body = JSON.parse(stdout) as TokenBody;
      assert.equal(body.scope, "org:read");
      const me = await shared.server.call("GET", "/v1/me", { token: body.access_token });
      assert.equal(me.status, 200, me.text);
    }
  },
);

test("oauth4webapi discovers the server and gets a token by both methods", async () => {
  const issuer = new URL(shared.server.origin);
  const options = { algorithm: "oauth2", [oauth.allowInsecureRequests]: true } as const;
  const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options));
  const client: oauth.Client = { client_id: shared.home.credential.client_id };
  for (const method of [oauth.ClientSecretPost, oauth.ClientSecretBasic]) {
    const response = await oauth.clientCredentialsGrantRequest(
      server,
      client,
      method(shared.home.credential.client_secret),
      new URLSearchParams({ scope: "org:read" }),
      { [oauth.allowInsecureRequests]: true },
    );
    const token = await oauth.processClientCredentialsResponse(server, client, response);
    assert.equal(token.scope, "org:read");
    const request = new Request(`${shared.server.origin}/v1/me`, {
      headers: { authorization: `Bearer ${token.access_token}` },
    });
    const claims = await oauth.validateJwtAccessToken(
      server,
      request,
      String(decodeJwt(token.access_token).claims["aud"]),
      {
        [oauth.allowInsecureRequests]: true,
      },
    );
    assert.equal(claims.client_id, client.client_id);
  }
});

test("openid-client gets, introspects and revokes a token by discovery", async () => {
  const { client_id, client_secret } = shared.home.credential;
  for (const method of [openid.ClientSecretPost(client_secret), openid.ClientSecretBasic(client_secret)]) {
    const config = await openid.discovery(new URL(shared.server.origin), client_id, client_secret, method, {
      algorithm: "oauth2",
      // The only way over plain HTTP, as on loopback. The library marks it as deprecated to warn of other uses.
      execute: [openid.allowInsecureRequests],
    });
    const token = await openid.clientCredentialsGrant(config, { scope: "telemetry:read" });
    assert.equal(token.scope, "telemetry:read");
    assert.equal((await openid.tokenIntrospection(config, token.access_token)).active, true);
    await openid.tokenRevocation(config, token.access_token);
    assert.equal((await openid.tokenIntrospection(config, token.access_token)).active, false);
  }
});
