import assert from "node:assert/strict";
import { request as httpRequest } from "node:http";
import { after, before, describe, test } from "node:test";
import { decodeJwt } from "jose";
import { OTHER_ORG_ID } from "#domain/identity/testing.ts";
import { newSecret } from "#kernel/secrets.ts";
import { answerOf, openOauthServer, type OauthAnswer, type OauthServer } from "../testing.ts";

describe("token", () => {
  let server: OauthServer;
  let client: { id: string; clientId: string; clientSecret: string };
  before(async () => {
    server = await openOauthServer();
    client = await server.client({ scopes: ["files:read", "files:write", "apps:read"] });
  });
  after(() => server.close());

  const GRANT = { grant_type: "client_credentials" };
  const own = (): Record<string, string> => ({ client_id: client.clientId, client_secret: client.clientSecret });
  const basic = (): string => `${client.clientId}:${client.clientSecret}`;
  const ask = (form: Record<string, string> | string, how?: Parameters<OauthServer["post"]>[2]): Promise<OauthAnswer> =>
    server.post("/oauth/token", form, how);

  function assertError(answer: OauthAnswer, status: number, error: string): void {
    assert.deepEqual([answer.status, answer.body["error"]], [status, error], answer.text);
    assert.deepEqual(Object.keys(answer.body), ["error", "error_description"]);
    assert.match(String(answer.body["error_description"]), /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
    assert.match(answer.headers.get("content-type") ?? "", /^application\/json/);
    assert.equal(answer.headers.get("cache-control"), "no-store");
    assert.equal(answer.headers.get("pragma"), "no-cache");
    assert.equal(
      answer.headers.get("www-authenticate"),
      error === "invalid_client" ? 'Basic realm="mooring", charset="UTF-8"' : null,
    );
    assert.equal(answer.text.includes(client.clientSecret), false);
  }

  test("both ways of client authentication get a token with all scopes of the credential", async () => {
    for (const answer of [await ask({ ...GRANT, ...own() }), await ask(GRANT, { basic: basic() })]) {
      assert.equal(answer.status, 200);
      assert.deepEqual(Object.keys(answer.body), ["access_token", "token_type", "expires_in", "scope"]);
      assert.deepEqual([answer.body["token_type"], answer.body["expires_in"]], ["Bearer", 900]);
      assert.equal(answer.body["scope"], "apps:read files:read files:write");
      assert.equal(answer.headers.get("cache-control"), "no-store");
      assert.equal(answer.headers.get("pragma"), "no-cache");
      assert.match(answer.headers.get("content-type") ?? "", /^application\/json/);
      const principal = await server.identity.authenticator.authenticate(String(answer.body["access_token"]));
      assert.equal(principal.id, client.id);
    }
  });

  test("Basic's two parts are form-encoded, and its scheme is case-insensitive", async () => {
    const encoded = client.clientId.replace(/./g, (char) => `%${char.charCodeAt(0).toString(16)}`);
    assert.equal((await ask(GRANT, { basic: `${encoded}:${client.clientSecret.replace("_", "%5F")}` })).status, 200);
    const headers = {
      "content-type": "application/x-www-form-urlencoded",
      authorization: `bAsIc  ${Buffer.from(basic()).toString("base64")}`,
    };
    assert.equal(
      (await fetch(`${server.url}/oauth/token`, { method: "POST", headers, body: "grant_type=client_credentials" }))
        .status,
      200,
    );
    assertError(await ask(GRANT, { basic: `${client.clientId}:%zz` }), 401, "invalid_client");
  });

  test("a client can ask for fewer scopes, which come sorted and once; scopes that the credential lacks are refused by name", async () => {
    const narrowed = await ask({ ...GRANT, ...own(), scope: "files:write files:read files:write" });
    assert.equal(narrowed.body["scope"], "files:read files:write");
    assert.equal(decodeJwt(String(narrowed.body["access_token"]))["scope"], "files:read files:write");
    const over = await ask({ ...GRANT, ...own(), scope: "files:read org:write made:up" });
    assertError(over, 400, "invalid_scope");
    assert.match(String(over.body["error_description"]), /org:write made:up/);
    for (const scope of [" files:read", "files:read  files:write", 'a"b', "files:read\u0000", "ü"])
      assertError(await ask({ ...GRANT, ...own(), scope }), 400, "invalid_scope");
    assert.equal(
      (await ask({ ...GRANT, ...own(), scope: "" })).body["scope"],
      "apps:read files:read files:write",
      "an empty parameter counts as absent",
    );
  });

  test("the organization sets the lifetime", async () => {
    await server.ground.organization({ token_lifetime_s: 300 });
    await server.identity.feed.sync();
    assert.equal((await ask({ ...GRANT, ...own() })).body["expires_in"], 300);
    await server.ground.organization({ token_lifetime_s: 900 });
    await server.identity.feed.sync();
  });

  test("resource and audience are accepted, also more than once", async () => {
    const form = new URLSearchParams({
      ...GRANT,
      ...own(),
      resource: "https://a.example",
      audience: "x",
      extra: "ignored",
    });
    form.append("resource", "https://b.example");
    assert.equal((await ask(form.toString())).status, 200);
  });

  test("an invalid request gets a reason", async () => {
    assertError(await ask(own()), 400, "invalid_request");
    assertError(await ask(""), 400, "invalid_request");
    assertError(await ask({ ...own(), grant_type: "" }), 400, "invalid_request");
    assertError(
      await ask(`${new URLSearchParams({ ...GRANT, ...own() }).toString()}&scope=a&scope=b`),
      400,
      "invalid_request",
    );
    assertError(
      await ask(`${new URLSearchParams({ ...GRANT, ...own() }).toString()}&grant_type=client_credentials`),
      400,
      "invalid_request",
    );
    assertError(
      await ask(JSON.stringify({ ...GRANT, ...own() }), { type: "application/json" }),
      400,
      "invalid_request",
    );
    assertError(await ask("x", { type: "text/plain" }), 400, "invalid_request");
    assertError(await ask({ ...GRANT, ...own() }, { basic: basic() }), 400, "invalid_request");
    assertError(
      await ask({ ...GRANT, client_secret: client.clientSecret }, { basic: basic() }),
      400,
      "invalid_request",
    );
    assertError(await ask({ ...GRANT, client_id: "mrc_other" }, { basic: basic() }), 400, "invalid_request");
    assert.equal(
      (await ask({ ...GRANT, client_id: client.clientId }, { basic: basic() })).status,
      200,
      "the same ID in both places does not count as a second method",
    );
    assertError(await ask({ ...own(), grant_type: "password" }), 400, "unsupported_grant_type");
    assertError(await ask({ ...own(), grant_type: "authorization_code" }), 400, "unsupported_grant_type");
  });

  test("a body of 16 KiB is read, one byte more is refused", async () => {
    const form = new URLSearchParams({ ...GRANT, ...own(), resource: "" }).toString();
    assert.equal((await ask(form + "x".repeat(16 * 1024 - form.length))).status, 200);
    assertError(await ask(form + "x".repeat(16 * 1024 + 1 - form.length)), 413, "invalid_request");
  });

  test("an unsupported Expect is refused in OAuth's form, with HTTP's status", async () => {
    const [status, text] = await new Promise<[number | undefined, string]>((resolve, reject) => {
      const call = httpRequest(`${server.url}/oauth/token`, { method: "POST", headers: { expect: "a miracle" } });
      call.on("response", (response) => {
        let body = "";
        response.on("data", (chunk: Buffer) => (body += chunk.toString()));
        response.on("end", () => resolve([response.statusCode, body]));
      });
      call.on("error", reject);
      call.end();
    });
    assert.equal(status, 417);
    assert.equal((JSON.parse(text) as { error: string }).error, "invalid_request");
  });

  test("a caller without the secret gets the same refusal for every cause", async () => {
    const revoked = await server.client();
    await server.identity.credentials.revoke(
      { actor: { kind: "system", id: null, orgId: "org_00000000000000000000000001" } },
      revoked.id,
    );
    const wrong = [
      await ask({ ...GRANT, ...own(), client_secret: newSecret("mrcs") }),
      await ask({ ...GRANT, ...own(), client_id: "mrc_00000000000000000000000000" }),
      await ask(GRANT, { basic: `${client.clientId}:${newSecret("mrcs")}` }),
      await ask(GRANT, { basic: `nobody:${client.clientSecret}` }),
      await ask({ ...GRANT, client_id: revoked.clientId, client_secret: revoked.clientSecret }),
    ];
    for (const answer of wrong) {
      assertError(answer, 401, "invalid_client");
      assert.equal(answer.text, wrong[0]?.text);
    }
    assertError(await ask(GRANT), 401, "invalid_client");
    assertError(await ask({ ...GRANT, client_id: client.clientId }), 401, "invalid_client");
    assertError(await ask(GRANT, { basic: "no colon" }), 401, "invalid_client");
    assertError(await ask({ ...GRANT }, { bearer: "abc" }), 401, "invalid_client");
  });

  test("after ten failures further guesses get 429 with Retry-After, and the right secret is accepted at each endpoint", async () => {
    const guessed = await server.client();
    const wrong = (): Record<string, string> => ({
      client_id: guessed.clientId,
      client_secret: newSecret("mrcs"),
      token: "x",
    });
    for (let i = 0; i < 10; i++) assertError(await ask({ ...GRANT, ...wrong() }), 401, "invalid_client");
    const limited = await ask({ ...GRANT, ...wrong() });
    assertError(limited, 429, "temporarily_unavailable");
    assert.equal(limited.headers.get("retry-after"), "5");
    const right = { client_id: guessed.clientId, client_secret: guessed.clientSecret };
    assert.equal((await ask({ ...GRANT, ...right })).status, 200);
    for (const path of ["/oauth/introspect", "/oauth/revoke"]) {
      assertError(await server.post(path, wrong()), 429, "temporarily_unavailable");
      assert.equal((await server.post(path, { ...right, token: "x" })).status, 200, path);
    }
  });

  test("a credential that lost all of its scopes gets no token", async () => {
    const creator = await server.ground.person("developer");
    const poor = await server.client({ actor: creator });
    await server.ground.setRole(creator.id, null);
    await server.identity.feed.sync();
    assertError(
      await ask({ ...GRANT, client_id: poor.clientId, client_secret: poor.clientSecret }),
      400,
      "invalid_scope",
    );
  });

  test("other methods get the allowed one", async () => {
    for (const method of ["GET", "PUT", "DELETE", "PATCH"]) {
      const answer = await answerOf(await fetch(`${server.url}/oauth/token`, { method }));
      assert.deepEqual([answer.status, answer.headers.get("allow")], [405, "POST"]);
    }
  });

  test("without its database the server answers that it is unavailable, not that the client is wrong", async () => {
    const broken = await openOauthServer();
    const known = await broken.client();
    await broken.ground.metadata.close();
    broken.ground.clock.advance(31_000);
    const answer = await broken.post("/oauth/token", {
      ...GRANT,
      client_id: known.clientId,
      client_secret: known.clientSecret,
    });
    assertError(answer, 503, "temporarily_unavailable");
    assert.equal(answer.headers.get("retry-after"), "1");
    await broken.close();
  });

  test("requests with a secret have a limit for each credential, shared by all endpoints", async () => {
    const limited = await openOauthServer({ rateLimit: { perSecond: 1, burst: 2 } });
    try {
      for (const path of ["/oauth/token", "/oauth/introspect", "/oauth/revoke"]) {
        const [eager, other] = [await limited.client(), await limited.client()];
        const ask = (client: typeof eager) =>
          limited.post(path, {
            grant_type: "client_credentials",
            token: "none",
            client_id: client.clientId,
            client_secret: client.clientSecret,
          });
        for (let i = 0; i < 2; i++) assert.equal((await ask(eager)).status, 200, path);
        const refused = await ask(eager);
        assert.equal(refused.status, 429, path);
        assert.equal(refused.body["error"], "temporarily_unavailable");
        assert.equal(refused.headers.get("retry-after"), "1");
        assert.equal((await ask(other)).status, 200, path);
      }
    } finally {
      await limited.close();
    }
  });

  test("a request may have 100 parameters, not one more", async () => {
    const others = (count: number): string => Array.from({ length: count }, (_, i) => `other_${i}=x`).join("&");
    const right = new URLSearchParams({ ...GRANT, ...own() }).toString();
    assert.equal((await ask(`${right}&${others(97)}`)).status, 200);
    assertError(await ask(`${right}&${others(98)}`), 400, "invalid_request");
  });
});

describe("introspect", () => {
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

  test("a valid token of the organization is active, with its claims and its current scopes", async () => {
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

  test("any other token is only reported as not active", async () => {
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

  test("scopes that were removed since are left out", async () => {
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
});

describe("revoke", () => {
  let server: OauthServer;
  let client: { id: string; clientId: string; clientSecret: string };
  before(async () => {
    server = await openOauthServer();
    client = await server.client();
  });
  after(() => server.close());

  const own = (): Record<string, string> => ({ client_id: client.clientId, client_secret: client.clientSecret });

  test("a client revokes its token, and only that one", async () => {
    const [token, sister] = [await server.token(client), await server.token(client)];
    const answer = await server.post("/oauth/revoke", { token, token_type_hint: "refresh_token", ...own() });
    assert.deepEqual([answer.status, answer.text, answer.headers.get("cache-control")], [200, "", "no-store"]);
    await assert.rejects(server.identity.authenticator.authenticate(token), {
      code: "invalid_token",
      message: /revoked/,
    });
    await server.identity.authenticator.authenticate(sister);
    const rows = await server.ground.metadata.read
      .selectFrom("audit")
      .select(["action", "actor_id"])
      .where("action", "=", "token.revoke")
      .execute();
    assert.deepEqual(rows, [{ action: "token.revoke", actor_id: client.id }]);
  });

  test("other text than a token, and an expired token, count as revoked", async () => {
    const token = await server.token(client);
    await server.post("/oauth/revoke", { token, ...own() });
    for (const candidate of ["nonsense", token, `${token.slice(0, -4)}AAAA`]) {
      assert.equal(
        (
          await server.post(
            "/oauth/revoke",
            { token: candidate },
            { basic: `${client.clientId}:${client.clientSecret}` },
          )
        ).status,
        200,
      );
    }
  });

  test("another client's token stays", async () => {
    const token = await server.token(await server.client());
    const answer = await server.post("/oauth/revoke", { token, ...own() });
    assert.deepEqual([answer.status, answer.body["error"]], [400, "invalid_request"]);
    await server.identity.authenticator.authenticate(token);
  });

  test("without authentication or token nothing happens", async () => {
    const token = await server.token(client);
    for (const [form, status, error] of [
      [{ token }, 401, "invalid_client"],
      [{ token, client_id: client.clientId, client_secret: "wrong" }, 401, "invalid_client"],
      [own(), 400, "invalid_request"],
    ] as const) {
      const answer = await server.post("/oauth/revoke", form);
      assert.deepEqual([answer.status, answer.body["error"]], [status, error]);
    }
    const bearer = await server.post("/oauth/revoke", { token }, { bearer: token });
    assert.equal(bearer.status, 401);
    await server.identity.authenticator.authenticate(token);
  });
});
