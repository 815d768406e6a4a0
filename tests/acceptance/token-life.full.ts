/** Introspection, revocation, failed sign-ins and rotation: the life of tokens and secrets after they were issued. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { basic, postForm, refused, type Answer } from "../fixtures/http.ts";
import { decodeJwt } from "../fixtures/jwt.ts";
import { useSharedServer, type Client } from "../fixtures/server.ts";

const shared = useSharedServer();

interface Introspection {
  readonly active: boolean;
  readonly scope?: string;
  readonly client_id?: string;
  readonly exp?: number;
}

function introspect(token: string, client: Client = shared.home.credential): Promise<Answer<Introspection>> {
  const headers = basic(client.client_id, client.client_secret);
  return postForm<Introspection>(shared.server.origin, "/oauth/introspect", { token }, headers);
}

function revoke(token: string, client: Client = shared.home.credential): Promise<Answer> {
  return postForm(shared.server.origin, "/oauth/revoke", { token }, basic(client.client_id, client.client_secret));
}

interface Created extends Client {
  readonly id: string;
  readonly scopes: readonly string[];
}

async function newCredential(scopes: readonly string[], token = shared.token): Promise<Created> {
  const answer = await shared.server.call<Created>("POST", "/v1/credentials", {
    token,
    json: { name: "made by a test", scopes },
  });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

function me(token: string): Promise<Answer> {
  return shared.server.call("GET", "/v1/me", { token });
}

test("introspection of an active token shows its scopes and claims", async () => {
  const token = await shared.server.token(shared.home.credential, "org:read");
  const { status, body } = await introspect(token);
  assert.equal(status, 200);
  assert.equal(body.active, true);
  assert.equal(body.scope, "org:read");
  assert.equal(body.client_id, shared.home.credential.client_id);
  assert.equal(body.exp, decodeJwt(token).claims["exp"]);
});

test("introspection of any other token only answers inactive", async () => {
  const other = await shared.server.bootstrap({
    org: `${shared.home.org.slug}-rival`,
    project: "plant",
    app: "reactor",
  });
  const foreign = await shared.server.token(other.credential);
  for (const token of ["garbage", `${shared.token}x`, shared.token.slice(0, -4), foreign]) {
    const answer = await introspect(token);
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(answer.body, { active: false });
  }
});

test("introspection and revocation need a client", async () => {
  for (const path of ["/oauth/introspect", "/oauth/revoke"]) {
    const answer = await postForm(shared.server.origin, path, { token: shared.token });
    assert.equal(answer.status, 401, answer.text);
    assert.equal(answer.body["error"], "invalid_client");
  }
  assert.equal((await me(shared.token)).status, 200);
});

test("a revoked token fails on the next request, and its client's other tokens still work", async () => {
  const [token, sister] = await Promise.all([
    shared.server.token(shared.home.credential),
    shared.server.token(shared.home.credential),
  ]);
  assert.equal((await me(token)).status, 200);
  assert.equal((await revoke(token)).status, 200);
  const answer = await me(token);
  refused(answer, 401, "invalid_token");
  assert.match(answer.headers.get("www-authenticate") ?? "", /^Bearer .*error="invalid_token"/);
  assert.deepEqual((await introspect(token)).body, { active: false });
  assert.equal((await me(sister)).status, 200);
});

test("revoking an unknown token is 200 (RFC 7009 section 2.2)", async () => {
  assert.equal((await revoke("garbage")).status, 200);
});

test("a client can't revoke another client's token", async () => {
  const mallory = await newCredential(["org:read"]);
  const victim = await shared.server.token(shared.home.credential);
  await revoke(victim, mallory);
  assert.equal((await me(victim)).status, 200);
});

test("a revoked credential loses its tokens at the next request, and gets no more", async () => {
  const credential = await newCredential(["org:read"]);
  const tokens = await Promise.all(Array.from({ length: 5 }, () => shared.server.token(credential)));
  for (const token of tokens) assert.equal((await me(token)).status, 200);
  const answer = await shared.server.call("DELETE", `/v1/credentials/${credential.id}`, { token: shared.token });
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.body["propagated"], true);
  for (const token of tokens) refused(await me(token), 401, "invalid_token");
  const refusal = await postForm(shared.server.origin, "/oauth/token", {
    grant_type: "client_credentials",
    ...clientOf(credential),
  });
  assert.equal(refusal.status, 401);
  assert.equal(refusal.body["error"], "invalid_client");
});

function clientOf(credential: Client): Record<string, string> {
  return { client_id: credential.client_id, client_secret: credential.client_secret };
}

test("concurrent revocations and token requests leave no token that works", async () => {
  for (let round = 0; round < 10; round++) {
    const credential = await newCredential(["org:read"]);
    const asked = Array.from({ length: 8 }, () => shared.server.token(credential).catch(() => null));
    const revoked = shared.server.call("DELETE", `/v1/credentials/${credential.id}`, { token: shared.token });
    const [tokens, answer] = await Promise.all([Promise.all(asked), revoked]);
    assert.equal(answer.status, 200, answer.text);
    for (const token of tokens) if (token !== null) refused(await me(token), 401, "invalid_token");
  }
});

test("removing scopes from a credential removes them from issued tokens", async () => {
  const credential = await newCredential(["org:read", "projects:read"]);
  const token = await shared.server.token(credential);
  assert.equal((await shared.server.call("GET", "/v1/projects", { token })).status, 200);
  const patch = await shared.server.call("PATCH", `/v1/credentials/${credential.id}`, {
    token: shared.token,
    json: { scopes: ["org:read"] },
  });
  assert.equal(patch.status, 200, patch.text);
  const after = await shared.server.call("GET", "/v1/projects", { token });
  assert.ok(after.status === 401 || after.status === 403, after.text);
  const fresh = await shared.server.token(credential);
  assert.equal((await shared.server.call("GET", "/v1/organization", { token: fresh })).status, 200);
  refused(await shared.server.call("GET", "/v1/projects", { token: fresh }), 403, "insufficient_scope");
});

async function tokenStatus(client: Client): Promise<number> {
  return (
    await postForm(shared.server.origin, "/oauth/token", { grant_type: "client_credentials", ...clientOf(client) })
  ).status;
}

test("rotation keeps two secrets valid, or ends the old one at once", async () => {
  const credential = await newCredential(["org:read"]);
  const rotate = async (overlap_seconds: number): Promise<Created> => {
    const path = `/v1/credentials/${credential.id}/rotate`;
    const answer = await shared.server.call<Created>("POST", path, { token: shared.token, json: { overlap_seconds } });
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  const second = await rotate(3600);
  assert.equal(second.client_id, credential.client_id);
  assert.notEqual(second.client_secret, credential.client_secret);
  assert.deepEqual([await tokenStatus(credential), await tokenStatus(second)], [200, 200]);
  const third = await rotate(0);
  assert.deepEqual(
    [await tokenStatus(credential), await tokenStatus(second), await tokenStatus(third)],
    [401, 401, 200],
  );
});

test("a secret has a fixed prefix and a checksum, and no call shows it again", async () => {
  const credential = await newCredential(["org:read"]);
  assert.match(credential.client_secret, /^mrcs_[0-9A-Za-z]{49}$/);
  assert.match(credential.client_id, /^mrc_/);
  for (const path of [`/v1/credentials/${credential.id}`, "/v1/credentials"]) {
    const { text } = await shared.server.call("GET", path, { token: shared.token });
    assert.ok(!text.includes(credential.client_secret));
  }
});

test("after ten failed sign-ins further guesses must wait, and the right secret need not", async () => {
  const credential = await newCredential(["org:read"]);
  const wrong = { client_id: credential.client_id, client_secret: shared.home.credential.client_secret };
  const statuses: number[] = [];
  let last: Answer | undefined;
  for (let i = 0; i < 12; i++) {
    last = await postForm(shared.server.origin, "/oauth/token", { grant_type: "client_credentials", ...wrong });
    statuses.push(last.status);
  }
  assert.deepEqual(
    statuses.slice(0, 10),
    Array.from({ length: 10 }, () => 401),
  );
  assert.equal(statuses.at(-1), 429);
  assert.ok(Number(last?.headers.get("retry-after")) <= 30);
  assert.equal(await tokenStatus(credential), 200);
  assert.equal(await tokenStatus(shared.home.credential), 200);
});
