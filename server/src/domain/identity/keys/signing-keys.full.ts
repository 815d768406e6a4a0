import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import type { Identity } from "#domain/identity/index.ts";
import { openGround, SYSTEM, type Ground } from "#domain/identity/testing.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

let ground: Ground;
beforeEach(async () => {
  ground = await openGround();
});
afterEach(() => ground.close());

async function issue(identity: Identity): Promise<string> {
  const { credential, clientSecret } = await identity.credentials.create(
    { actor: SYSTEM },
    { projectId: null, name: "c", scopes: ["files:read"] },
  );
  const state = await identity.signIn.authenticate({
    clientId: credential.clientId,
    clientSecret,
    ip: "127.0.0.1",
    requestId: "r",
  });
  return (await identity.tokens.issuer.issue(state, { ip: null, requestId: null })).accessToken;
}

const kidOf = (token: string): string =>
  JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString()).kid as string;
const published = (identity: Identity): string[] => identity.keys.jwks().keys.map((key) => String(key["kid"]));
const signing = (identity: Identity): string | undefined =>
  identity.keys.list().find((key) => key.alg === "ES256" && key.state === "signing")?.kid;

test("both algorithms are published without a private part, and ES256 signs", async () => {
  const identity = await ground.node();
  const { keys } = identity.keys.jwks();
  assert.deepEqual(keys.map((key) => String(key["alg"])).toSorted(), ["ES256", "RS256"]);
  for (const key of keys) {
    assert.equal(key["use"], "sig");
    for (const part of ["d", "p", "q", "dp", "dq", "qi", "k"]) assert.equal(part in key, false);
  }
  assert.equal(kidOf(await issue(identity)), signing(identity));
});

test("nodes that start at once share one set of keys", async () => {
  const nodes = await Promise.all(Array.from({ length: 4 }, () => ground.node()));
  const sets = nodes.map((node) => published(node).toSorted().join());
  assert.equal(new Set(sets).size, 1);
  assert.equal(published(nodes[0] as Identity).length, 2);
});

test("a node with ES256 accepts the tokens of a node with RS256", async () => {
  const rsa = await ground.node({ tokenAlg: "RS256" });
  const token = await issue(rsa);
  const other = await ground.node();
  assert.equal((await other.authenticator.authenticate(token)).kind, "credential");
});

test("a new key is published ten minutes before it signs, and the old one until its last token has expired", async () => {
  const identity = await ground.node();
  const before = signing(identity);
  const early = await issue(identity);
  await identity.keys.rotate();
  assert.equal(published(identity).length, 4);
  assert.equal(signing(identity), before, "the current key continues to sign");
  assert.equal((await identity.keys.rotate()).length, 4, "no further key is created while the next key waits");
  ground.clock.advance(10 * MINUTE_MS - 1);
  assert.equal(signing(identity), before);
  ground.clock.advance(1);
  const after = signing(identity);
  assert.notEqual(after, before);
  assert.equal(kidOf(await issue(identity)), after);
  await identity.authenticator.authenticate(early);
  ground.clock.advance(61 * MINUTE_MS - 1);
  assert.ok(published(identity).includes(before ?? ""));
  ground.clock.advance(1);
  assert.equal(published(identity).includes(before ?? ""), false);
  await identity.keys.maintain();
  assert.equal(
    (await ground.metadata.read.selectFrom("signing_key").select("kid").execute()).length,
    2,
    "and then deleted",
  );
});

test("keys are rotated after ninety days, not before", async () => {
  const identity = await ground.node();
  ground.clock.advance(90 * DAY_MS - 1);
  await identity.keys.maintain();
  assert.equal(published(identity).length, 2);
  ground.clock.advance(1);
  await identity.keys.maintain();
  assert.equal(published(identity).length, 4);
  const other = await ground.node();
  await other.keys.maintain();
  assert.equal(published(other).length, 4, "a second node creates no further keys");
});

test("a leaked key is void at once on every node, and replaced", async () => {
  const identity = await ground.node();
  const other = await ground.node();
  await other.start();
  const token = await issue(identity);
  await other.authenticator.authenticate(token);
  const kid = kidOf(token);
  assert.deepEqual(await identity.retireKeyNow(kid), { propagated: true });
  for (const node of [identity, other]) {
    assert.equal(published(node).includes(kid), false);
    await assert.rejects(node.authenticator.authenticate(token), { code: "invalid_token" });
  }
  const fresh = await issue(identity);
  assert.notEqual(kidOf(fresh), kid);
  await other.authenticator.authenticate(fresh);
  await assert.rejects(identity.keys.retireNow("unknown"), { code: "not_found" });
});

test("retiring the current key activates the next one at once; retiring the next one keeps the current key", async () => {
  const identity = await ground.node();
  await identity.keys.rotate();
  const next = identity.keys.list().find((key) => key.alg === "ES256" && key.state === "next")?.kid;
  const present = signing(identity) ?? "";
  await identity.keys.retireNow(present);
  assert.equal(signing(identity), next);
});

test("a node accepts a key that another node has just created", async () => {
  const identity = await ground.node();
  const other = await ground.node();
  await identity.keys.retireNow(signing(identity) ?? "");
  const token = await issue(identity);
  assert.equal(published(other).includes(kidOf(token)), false);
  assert.equal((await other.authenticator.authenticate(token)).kind, "credential");
});

test("rotations and retirements are in the audit log", async () => {
  const identity = await ground.node();
  await identity.keys.rotate({ kind: "system", id: "command-line" });
  await identity.keys.retireNow(signing(identity) ?? "");
  const rows = await ground.metadata.read
    .selectFrom("audit")
    .select(["action", "actor_id"])
    .where("org_id", "=", "")
    .orderBy("seq")
    .execute();
  assert.deepEqual(
    rows.map((row) => row.action),
    ["key.rotate", "key.rotate", "key.retire"],
  );
  assert.equal(rows[0]?.actor_id, "command-line");
});

test("a node with another master key is refused, and leaves no new key file behind", async () => {
  await ground.node();
  await assert.rejects(ground.node({ masterKey: "00".repeat(32) }), /sealed under key .*belongs to this database/s);
  const elsewhere = await mkdtemp(join(tmpdir(), "mooring-node-"));
  try {
    await assert.rejects(ground.node({ dataDir: elsewhere }), /master\.key does not exist/);
    assert.deepEqual(await readdir(elsewhere), []);
  } finally {
    await rm(elsewhere, { recursive: true });
  }
});

test("of two first starts with different directories on one database, one fails with a remedy", async () => {
  const elsewhere = await mkdtemp(join(tmpdir(), "mooring-node-"));
  try {
    const outcomes = await Promise.allSettled([ground.node(), ground.node({ dataDir: elsewhere })]);
    const refused = outcomes.filter((outcome) => outcome.status === "rejected");
    assert.equal(refused.length, 1);
    assert.match(String(refused[0]?.reason), /share one master key|master.key does not exist. Put that file back/);
    assert.equal(
      [...(await readdir(elsewhere)), ...(await readdir(ground.dataDir))].filter((name) => name === "master.key")
        .length,
      1,
    );
  } finally {
    await rm(elsewhere, { recursive: true });
  }
});
