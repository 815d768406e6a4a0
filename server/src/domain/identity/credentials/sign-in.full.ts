import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import type { Identity } from "#domain/identity/index.ts";
import { SCOPES } from "@mooring/contract";
import type { Problem } from "#kernel/problem.ts";
import { newSecret } from "#kernel/secrets.ts";
import { endPersonalTokens } from "./hand-over.ts";
import { credentialOf, openGround, SYSTEM, tokenOf, type Ground } from "#domain/identity/testing.ts";

let ground: Ground;
let identity: Identity;
beforeEach(async () => {
  ground = await openGround();
  identity = await ground.node();
});
afterEach(() => ground.close());

const UNKNOWN = "mrc_00000000000000000000000000";
const signIn = (clientId: string, clientSecret: string, ip = "192.0.2.1"): Promise<unknown> =>
  identity.signIn.authenticate({ clientId, clientSecret, ip, requestId: "req_1" });

function refusal(work: Promise<unknown>): Promise<Problem> {
  return work.then(
    () => assert.fail("was accepted"),
    (reason: unknown) => reason as Problem,
  );
}

test("unknown, wrong, malformed, expired and revoked secrets are refused in the same words", async () => {
  const client = await credentialOf(identity);
  const expired = await credentialOf(identity, { expiresAtMs: ground.clock.nowMs() + 1 });
  const revoked = await credentialOf(identity);
  await identity.credentials.revoke({ actor: SYSTEM }, revoked.id);
  ground.clock.advance(1);
  const refusals = [
    await refusal(signIn(UNKNOWN, newSecret("mrcs"))),
    await refusal(signIn(client.clientId, newSecret("mrcs"))),
    await refusal(signIn(client.clientId, "guess")),
    await refusal(signIn(client.clientId, "")),
    await refusal(signIn("nobody", client.clientSecret)),
    await refusal(signIn(client.clientId.toUpperCase(), client.clientSecret)),
    await refusal(signIn(expired.clientId, expired.clientSecret)),
    await refusal(signIn(revoked.clientId, revoked.clientSecret)),
  ];
  // The facts are for the record of refused requests, which the caller does not get.
  const told = refusals.map(({ code, message, options: { facts: _, ...options } }) => ({ code, message, options }));
  for (const each of told) assert.deepEqual(each, told[0]);
  assert.equal(refusals[0]?.code, "unauthorized");
});

test("an unknown client and a wrong secret take about the same time", async () => {
  const client = await credentialOf(identity);
  await tokenOf(identity, client);
  const times = { unknown: [] as number[], wrong: [] as number[] };
  for (let i = 0; i < 300; i++) {
    for (const [kind, clientId] of [
      ["unknown", UNKNOWN],
      ["wrong", client.clientId],
    ] as const) {
      const secret = newSecret("mrcs");
      const started = performance.now();
      await refusal(signIn(clientId, secret, `address ${i}`));
      times[kind].push(performance.now() - started);
    }
  }
  const median = (values: number[]): number => values.toSorted((a, b) => a - b)[150] ?? 0;
  const ratio = median(times.unknown) / median(times.wrong);
  assert.ok(ratio > 0.4 && ratio < 2.5, `ratio ${ratio}`);
});

test("after ten failures each further guess waits twice as long, up to 30 s", async () => {
  const client = await credentialOf(identity);
  for (let i = 0; i < 10; i++)
    assert.equal((await refusal(signIn(client.clientId, newSecret("mrcs")))).code, "unauthorized");
  for (const waitS of [5, 10, 20, 30, 30]) {
    const limited = await refusal(signIn(client.clientId, newSecret("mrcs")));
    assert.equal(limited.code, "rate_limited");
    assert.deepEqual(limited.options, {
      retryAfterS: waitS,
      allowance: { name: "failures", most: 10, windowS: 900 },
    });
    assert.equal((await refusal(signIn(client.clientId, newSecret("mrcs"), "192.0.2.2"))).code, "unauthorized");
    ground.clock.advance(waitS * 1000);
    assert.equal((await refusal(signIn(client.clientId, newSecret("mrcs")))).code, "unauthorized", "one try");
  }
});

test("a right secret is accepted at once, after any number of failures for its client", async () => {
  const client = await credentialOf(identity);
  const ada = await ground.person("developer");
  const wanted = { name: "laptop", projectId: null, scopes: ["registry:pull"] };
  const { token } = await identity.credentials.createPersonal({ actor: ada }, ada, wanted);
  const personal = (clientSecret: string): Promise<unknown> =>
    identity.signIn.authenticate({
      clientId: ada.email,
      clientSecret,
      takesPeople: true,
      ip: "192.0.2.1",
      requestId: "req_1",
    });
  for (let i = 0; i < 50; i++) {
    await refusal(signIn(client.clientId, i % 2 === 0 ? newSecret("mrcs") : "guess"));
    await refusal(personal(i % 2 === 0 ? newSecret("mrpat") : "guess"));
    await signIn(client.clientId, client.clientSecret);
    await personal(token);
  }
  const other = await ground.node();
  await other.signIn.authenticate({ ...client, ip: "192.0.2.1", requestId: "req_1" });
  const { clientSecret } = await other.credentials.rotate({ actor: SYSTEM }, client.id);
  await signIn(client.clientId, clientSecret);
});

test("a secret that another node has just created is accepted at once", async () => {
  const other = await ground.node();
  const client = await credentialOf(identity);
  await tokenOf(other, client);
  const { clientSecret } = await identity.credentials.rotate({ actor: SYSTEM }, client.id);
  await tokenOf(other, { ...client, clientSecret });
});

test("refusals are in the audit log: each kind once, repeats as a count, and no secret", async () => {
  const client = await credentialOf(identity);
  const secrets = Array.from({ length: 6 }, () => newSecret("mrcs"));
  for (const secret of secrets) await refusal(signIn(client.clientId, secret));
  await refusal(signIn("mrcs_pasted_into_the_wrong_field", secrets[0] ?? ""));
  await refusal(signIn(UNKNOWN, secrets[0] ?? ""));
  await assert.rejects(tokenOf(identity, client, "audit:read"), /does not have: audit:read/);
  await identity.stop();
  const rows = await ground.metadata.read
    .selectFrom("audit")
    .selectAll()
    .where("action", "=", "token.refuse")
    .execute();
  const told = rows.map(
    (row) => [row.org_id !== "", row.actor_kind, row.target_id, row.result, JSON.parse(row.detail)] as const,
  );
  const wrong = told.find(([, , , , detail]) => detail.reason === "wrong secret");
  assert.deepEqual(wrong, [
    true,
    "anonymous",
    client.id,
    "denied",
    { reason: "wrong secret", client_id: client.clientId, count: 6 },
  ]);
  const reasons = told.map(([, , , , detail]) => String(detail.reason)).toSorted();
  assert.deepEqual(reasons, ["invalid scope", "malformed", "unknown client", "wrong secret"]);
  for (const text of [...secrets, "pasted"]) assert.equal(JSON.stringify(rows).includes(text), false);
  assert.equal(identity.counts().refusals, 9);
});

test("a flood of refusals becomes a bounded number of rows with the right count", async () => {
  for (let i = 0; i < 3_000; i++) await refusal(signIn(UNKNOWN, newSecret("mrcs"), `address ${i}`));
  await identity.stop();
  const rows = await ground.metadata.read
    .selectFrom("audit")
    .select("detail")
    .where("action", "=", "token.refuse")
    .execute();
  assert.ok(rows.length <= 130, `${rows.length} rows`);
  assert.equal(
    rows.reduce((sum, row) => sum + Number(JSON.parse(row.detail).count), 0),
    3_000,
  );
});

test("last use is stored to the minute, for the credential and the secret, without a write for each request", async () => {
  const client = await credentialOf(identity);
  await tokenOf(identity, client);
  const before = await ground.metadata.read
    .selectFrom("credential")
    .select("last_used_at")
    .where("id", "=", client.id)
    .executeTakeFirst();
  assert.equal(before?.last_used_at, null);
  const usedAtMs = ground.clock.nowMs();
  const token = await tokenOf(identity, client);
  await identity.stop();
  const used = await identity.credentials.get({ actor: SYSTEM }, client.id);
  assert.deepEqual(
    [used.lastUsedAtMs, used.lastUsedIp, used.secrets[0]?.lastUsedAtMs],
    [usedAtMs, "127.0.0.1", usedAtMs],
  );
  ground.clock.advance(60_000);
  await identity.authenticator.authenticate(token);
  await identity.stop();
  const again = await identity.credentials.get({ actor: SYSTEM }, client.id);
  assert.deepEqual([again.lastUsedAtMs, again.lastUsedIp], [usedAtMs + 60_000, "127.0.0.1"]);
});

describe("a personal access token", () => {
  const name = { name: "laptop", projectId: null } as const;
  const show = (clientId: string, clientSecret: string, takesPeople = true): Promise<{ scopes: ReadonlySet<string> }> =>
    identity.signIn.authenticate({ clientId, clientSecret, takesPeople, ip: "192.0.2.1", requestId: "req_1" });

  test("is shown with the person's address where services accept it, and is bounded by the person's permissions", async () => {
    const ada = await ground.person("developer");
    const asked = { ...name, scopes: ["registry:pull", "registry:push"] };
    const { token } = await identity.credentials.createPersonal({ actor: SYSTEM }, ada, asked);
    assert.match(token, /^mrpat_/);
    assert.deepEqual([...(await show(ada.email.toUpperCase(), token)).scopes].toSorted(), [
      "registry:pull",
      "registry:push",
    ]);
    await ground.setRole(ada.id, "viewer");
    await identity.feed.sync();
    assert.deepEqual([...(await show(ada.email, token)).scopes], ["registry:pull"]);
    const other = await ground.person("owner");
    const refused = [
      [ada.email, token, false],
      [other.email, token, true],
      [ada.email, newSecret("mrpat"), true],
      [ada.email, "guess", true],
      [UNKNOWN, token, true],
    ] as const;
    for (const [clientId, secret, takesPeople] of refused)
      assert.equal((await refusal(show(clientId, secret, takesPeople))).code, "unauthorized");
  });

  test("is found by its secret alone, while it is valid, from allowed addresses", async () => {
    const ada = await ground.person("owner");
    const make = (change: object = {}) =>
      identity.credentials.createPersonal({ actor: ada }, ada, { ...name, scopes: SCOPES, ...change });
    const origin = { ip: "192.0.2.1", requestId: "req_1" };
    const find = (token: string) => identity.signIn.authenticatePersonal(token, origin);
    const { token, credential } = await make();
    for (const _ of ["from the records", "from memory"]) {
      const state = await find(token);
      assert.deepEqual([state.id, state.ownerId, state.scopes.size], [credential.id, ada.id, SCOPES.length]);
    }
    const app = await identity.credentials.create({ actor: ada }, { ...name, scopes: ["files:read"] });
    for (const unknown of [newSecret("mrpat"), "mrpat_guess", app.clientSecret])
      await assert.rejects(find(unknown), { code: "invalid_token" });
    const elsewhere = await make({ allowedAddresses: ["198.51.100.0/24"] });
    await assert.rejects(find(elsewhere.token), { code: "address_not_allowed" });
    const short = await make({ expiresAtMs: ground.clock.nowMs() + 60_000 });
    await find(short.token);
    ground.clock.advance(60_000);
    await assert.rejects(find(short.token), { code: "invalid_token" });
    await identity.credentials.revoke({ actor: ada }, credential.id);
    await assert.rejects(find(token), { code: "invalid_token" });
  });

  test("never has more permissions than its person, has one secret, and ends when it is revoked or the person leaves", async () => {
    const [ada, owner] = [await ground.person("viewer"), await ground.person("owner")];
    const make = (scopes: string[]) => identity.credentials.createPersonal({ actor: ada }, ada, { ...name, scopes });
    await assert.rejects(make(["registry:delete"]), { code: "insufficient_scope" });
    const [kept, revoked] = [await make(["registry:pull"]), await make(["registry:pull"])];
    assert.deepEqual([kept.credential.kind, kept.credential.createdBy], ["personal", ada.id]);
    await assert.rejects(identity.credentials.rotate({ actor: SYSTEM }, kept.credential.id), { code: "conflict" });
    await identity.credentials.revoke({ actor: owner }, revoked.credential.id);
    assert.equal((await refusal(show(ada.email, revoked.token))).code, "unauthorized");
    await show(ada.email, kept.token);
    await ground.metadata.write((tx) => endPersonalTokens(ground, tx, owner.orgId, ada.id));
    await identity.feed.sync();
    assert.equal((await refusal(show(ada.email, kept.token))).code, "unauthorized");
  });
});
