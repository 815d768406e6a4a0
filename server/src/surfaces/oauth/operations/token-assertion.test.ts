import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { decodeJwt } from "jose";
import { ORG_ID, OTHER_ORG_ID, SYSTEM } from "#domain/identity/testing.ts";
import { createOutbound } from "#stores/outbound/index.ts";
import { systemClock } from "#kernel/time.ts";
import { startIssuer, type Issuer } from "../../../../../tests/fixtures/issuer.ts";
import { openOauthServer, type OauthAnswer, type OauthServer } from "../testing.ts";

const JWT_BEARER = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const SUBJECT = "repo:acme/shop:ref:refs/heads/main";
const outbound = createOutbound({ privateAddresses: true, clock: systemClock, userAgent: "Test" });

let server: OauthServer;
let issuer: Issuer;
before(async () => {
  issuer = await startIssuer();
  server = await openOauthServer({ identity: { outbound } });
});
after(async () => {
  await server.close();
  await issuer.close();
});

/** Creates a credential without a secret that trusts the issuer. */
async function job(
  options: { orgId?: string; subject?: string } = {},
): Promise<{ id: string; clientId: string; trustId: string }> {
  const actor = { ...SYSTEM, orgId: options.orgId ?? ORG_ID };
  const input = { projectId: null, name: "deploys", scopes: ["files:read", "files:write"] };
  const { credential } = await server.identity.credentials.createWithoutSecret({ actor }, input);
  const { id, clientId } = credential;
  const trust = { name: "main", issuer: issuer.url, subject: options.subject ?? SUBJECT };
  return { id, clientId, trustId: (await server.identity.trusts.create({ actor }, id, trust)).id };
}

const nowS = (): number => Math.floor(server.ground.clock.nowMs() / 1000);
const assertion = (claims: object = {}): Promise<string> =>
  issuer.token({ aud: server.url, sub: SUBJECT, ...claims }, { nowS: nowS() });

function form(clientId: string, text: string, more: Record<string, string> = {}): Record<string, string> {
  return {
    grant_type: "client_credentials",
    client_id: clientId,
    client_assertion_type: JWT_BEARER,
    client_assertion: text,
    ...more,
  };
}

const ask = (clientId: string, text: string, more?: Record<string, string>): Promise<OauthAnswer> =>
  server.post("/oauth/token", form(clientId, text, more));

function assertRefused(answer: OauthAnswer, error = "invalid_client", status = 401): void {
  assert.deepEqual([answer.status, answer.body["error"]], [status, error], answer.text);
  assert.equal(answer.headers.get("cache-control"), "no-store");
  assert.equal(answer.text.includes("eyJ"), false);
}

test("a job's token is a client's secret until it expires: for tokens, for fewer scopes, and to revoke its tokens", async () => {
  const { id, clientId, trustId } = await job();
  const text = await assertion();
  for (const scope of [undefined, "files:read"]) {
    const answer = await ask(clientId, text, scope === undefined ? {} : { scope });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.body["scope"], scope ?? "files:read files:write");
    const claims = decodeJwt(String(answer.body["access_token"]));
    assert.deepEqual([claims.sub, claims["client_id"], claims["trust"]], [id, clientId, trustId]);
  }
  const over = await ask(clientId, text, { scope: "org:write" });
  assertRefused(over, "invalid_scope", 400);
  const token = String((await ask(clientId, text)).body["access_token"]);
  const { grant_type: _grant, ...shown } = form(clientId, text);
  assert.equal((await server.post("/oauth/introspect", { ...shown, token })).body["active"], true);
  assert.equal((await server.post("/oauth/revoke", { ...shown, token })).status, 200);
  assert.equal((await server.post("/oauth/introspect", { ...shown, token })).body["active"], false);
});

test("a request has exactly one complete way of authentication", async () => {
  const { clientId } = await job();
  const text = await assertion();
  assertRefused(await ask(clientId, text, { client_secret: "x" }), "invalid_request", 400);
  assertRefused(await server.post("/oauth/token", form(clientId, text), { basic: "a:b" }), "invalid_request", 400);
  assertRefused(await ask(clientId, text, { client_assertion_type: "saml2-bearer" }));
  for (const missing of ["client_id", "client_assertion", "client_assertion_type"])
    assertRefused(await ask(clientId, text, { [missing]: "" }), "invalid_request", 400);
});

test("a refusal has the same text, whether or not the client exists; the audit log has the reason", async () => {
  const known = await job();
  const revoked = await job();
  await server.identity.credentials.revoke({ actor: SYSTEM }, revoked.id);
  const other = await job({ orgId: OTHER_ORG_ID, subject: "repo:rival/shop:ref:refs/heads/main" });
  const [text, wrongAudience] = [await assertion(), await assertion({ aud: "https://other.example" })];
  const foreign = await assertion({ iss: "https://evil.example" });
  const answers = [
    await ask("mrc_00000000000000000000000000", text),
    await ask("nobody", text),
    await ask(revoked.clientId, text),
    await ask(other.clientId, text),
    await ask(known.clientId, wrongAudience),
    await ask(known.clientId, `${text.slice(0, -8)}AAAAAAAA`),
  ];
  for (const answer of answers) {
    assertRefused(answer);
    assert.equal(answer.text, answers[0]?.text);
    assert.match(answer.text, /No trust of this client/);
  }
  assert.equal((await ask(known.clientId, foreign)).text, (await ask("mrc_00000000000000000000000000", foreign)).text);
  const expired = await assertion({ exp: nowS() - 1 });
  assert.match((await ask(known.clientId, expired)).text, /expired at/);
  assert.equal((await ask("nobody", expired)).text, (await ask(known.clientId, expired)).text);
  assert.equal((await ask(known.clientId, text)).status, 200);
});

test("after ten failures further guesses must wait, and a right assertion is still accepted", async () => {
  const { clientId } = await job();
  const wrong = await assertion({ sub: "repo:mallory/shop" });
  for (let i = 0; i < 10; i++) assertRefused(await ask(clientId, wrong));
  assert.equal((await ask(clientId, wrong)).status, 429);
  assert.equal((await ask(clientId, await assertion())).status, 200);
});

test("unreadable keys, or keys of another issuer, do not count as the client's failure", async () => {
  const { clientId } = await job();
  const named = await issuer.token(
    { aud: server.url, sub: SUBJECT },
    { header: { kid: "not-published" }, nowS: nowS() },
  );
  for (let i = 0; i < 20; i++) assertRefused(await ask(clientId, named));
  assertRefused(await ask(clientId, await assertion({ sub: "repo:mallory/shop" })));
});

test("deleting a trust revokes its tokens on every node, and keeps those by the secret and by other trusts", async () => {
  const other = await server.ground.node({ issuer: server.url, audience: server.url, outbound });
  await other.start();
  const client = await server.client();
  const first = await server.identity.trusts.create({ actor: SYSTEM }, client.id, {
    name: "first",
    issuer: issuer.url,
    subject: SUBJECT,
  });
  await server.identity.trusts.create({ actor: SYSTEM }, client.id, {
    name: "second",
    issuer: issuer.url,
    subject: "repo:acme/shop:environment:production",
  });
  const tokens = {
    first: String((await ask(client.clientId, await assertion())).body["access_token"]),
    second: String(
      (await ask(client.clientId, await assertion({ sub: "repo:acme/shop:environment:production" }))).body[
        "access_token"
      ],
    ),
    secret: await server.token(client),
  };
  for (const token of Object.values(tokens)) await other.tokens.verifier.verify(token);
  const { propagated } = await server.identity.trusts.delete({ actor: SYSTEM }, first.id);
  assert.equal(propagated, true);
  for (const node of [server.identity, other]) {
    await assert.rejects(node.tokens.verifier.verify(tokens.first), /trust that issued this token was deleted/);
    await node.tokens.verifier.verify(tokens.second);
    await node.tokens.verifier.verify(tokens.secret);
  }
  assertRefused(await ask(client.clientId, await assertion()));
  await assert.rejects(server.identity.trusts.delete({ actor: SYSTEM }, first.id), /This resource does not exist/);
});

test("a token of this server is not accepted as an assertion, and its issuer can't be trusted", async () => {
  const client = await server.client();
  const own = await server.token(client);
  assertRefused(await ask(client.clientId, own));
  const trust = { name: "self", issuer: server.url, subject: client.id };
  await assert.rejects(server.identity.trusts.create({ actor: SYSTEM }, client.id, trust), { code: "invalid_body" });
});

test("a trust shows its last use and the subject", async () => {
  const { clientId, trustId } = await job();
  assert.equal((await ask(clientId, await assertion())).status, 200);
  await server.identity.stop(); // Writes the pending counts.
  const trust = await server.identity.trusts.get({ actor: SYSTEM }, trustId);
  assert.deepEqual([trust.lastSubject, trust.lastUsedAtMs], [SUBJECT, server.ground.clock.nowMs()]);
});
