import { trustedClock } from "#kernel/testing.ts";
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { credentialOf, openGround, ORG_ID, SYSTEM, tokenOf, type Ground } from "#domain/identity/testing.ts";
import { appendAuthChange } from "./append.ts";
import { ChangeFeed } from "./feed.ts";
import type { ChangeRow } from "./store.ts";
import { Schedule } from "#stores/jobs/index.ts";

let ground: Ground;
beforeEach(async () => {
  ground = await openGround();
});
afterEach(() => ground.close());

const append = (subject: string): Promise<number> =>
  ground.metadata.write((tx) => appendAuthChange(ground, tx, { kind: "credential", subject }));

/** Returns a feed that records its calls. */
function recording(): { feed: ChangeFeed; applied: string[]; resets: () => number } {
  const applied: string[] = [];
  let resets = 0;
  const feed = new ChangeFeed({
    schedule: new Schedule(ground.clock),
    ...ground,
    clock: trustedClock(ground.clock),
    log: { warn: () => undefined },
  });
  feed.subscribe({
    apply: (rows: readonly ChangeRow[]) => void applied.push(...rows.map((row) => row.subject)),
    reset: () => void (resets += 1),
  });
  return { feed, applied, resets: () => resets };
}

/** Returns the same store with a connection that the test can cut. */
function cuttable(metadata: MetadataStore): { store: MetadataStore; cut(): void; mend(): void } {
  let whole = true;
  const store = new Proxy(metadata, {
    get: (target, name) => {
      if (name === "read" && !whole) throw new Error("the line is cut");
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return { store, cut: () => void (whole = false), mend: () => void (whole = true) };
}

test("changes arrive in order, each once, with any number of writers", async () => {
  const { feed, applied } = recording();
  await feed.sync();
  const seqs = await Promise.all(Array.from({ length: 50 }, (_, i) => append(`s${i}`)));
  assert.deepEqual(
    seqs.toSorted((a, b) => a - b),
    Array.from({ length: 50 }, (_, i) => i + 1),
  );
  await feed.sync();
  await feed.sync();
  assert.equal(applied.length, 50);
  assert.equal(new Set(applied).size, 50);
});

test("a sync after a commit sees it, even while another read is running", async () => {
  const { feed, applied } = recording();
  await feed.sync();
  for (let i = 0; i < 30; i++) {
    const earlier = feed.sync();
    await append(`s${i}`);
    await feed.sync();
    assert.equal(applied.at(-1) === `s${i}`, true, `change ${i}`);
    await earlier;
  }
});

test("changes that exceed one read are all applied", async () => {
  const { feed, applied } = recording();
  await feed.sync();
  await ground.metadata.write(async (tx) => {
    for (let i = 0; i < 2_100; i++) await appendAuthChange(ground, tx, { kind: "credential", subject: `s${i}` });
  });
  await feed.sync();
  assert.equal(applied.length, 2_100);
});

test("a change that was rolled back leaves no gap", async () => {
  const { feed, applied, resets } = recording();
  await append("a");
  await feed.sync();
  const before = resets();
  await assert.rejects(
    ground.metadata.write(async (tx) => {
      await appendAuthChange(ground, tx, { kind: "credential", subject: "never" });
      throw new Error("no");
    }),
  );
  await append("b");
  await feed.sync();
  assert.deepEqual([applied, resets()], [["b"], before]);
});

test("a gap, or a database restored from a backup, makes a node forget everything", async () => {
  const { feed, resets } = recording();
  for (const subject of ["a", "b", "c"]) await append(subject);
  await feed.sync();
  const before = resets();
  await append("d");
  await append("e");
  await ground.metadata.write((tx) => tx.deleteFrom("auth_change").where("seq", "=", 4).execute());
  await feed.sync();
  assert.equal(resets(), before + 1);
  await ground.metadata.write((tx) => tx.deleteFrom("auth_change").where("seq", ">", 2).execute());
  await feed.sync();
  assert.equal(resets(), before + 2);
  await feed.sync();
  assert.equal(resets(), before + 2, "once");
});

test("old rows are deleted, except the last one and those of revoked tokens", async () => {
  const { feed } = recording();
  await feed.start();
  await append("old");
  const expiresAtMs = ground.clock.nowMs() + 3 * 3_600_000;
  await ground.metadata.write((tx) => appendAuthChange(ground, tx, { kind: "token", subject: "jti", expiresAtMs }));
  await append("older than an hour");
  ground.clock.advance(2 * 3_600_000);
  await append("last");
  const deadline = Date.now() + 60_000;
  let subjects: string[] = [];
  while (subjects.join() !== "jti,last" && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    subjects = (await ground.metadata.read.selectFrom("auth_change").select("subject").orderBy("seq").execute()).map(
      (row) => row.subject,
    );
  }
  await feed.stop();
  assert.deepEqual(subjects, ["jti", "last"]);
});

test("a node registers, reports what it applied, and leaves when it stops", async () => {
  const { feed } = recording();
  const rows = (): Promise<{ id: string; applied_seq: number }[]> =>
    ground.metadata.read.selectFrom("node").select(["id", "applied_seq"]).execute();
  await feed.start();
  assert.deepEqual(await rows(), [{ id: feed.nodeId, applied_seq: 0 }]);
  const seq = await append("a");
  const deadline = Date.now() + 60_000;
  while ((await rows())[0]?.applied_seq !== seq && Date.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 10));
  assert.deepEqual(await rows(), [{ id: feed.nodeId, applied_seq: seq }]);
  await feed.stop();
  assert.deepEqual(await rows(), []);
});

test("the barrier waits for live nodes only, and gives up after two seconds", async () => {
  const { feed } = recording();
  const seq = await append("a");
  assert.equal(await feed.propagate(seq), true, "there are no other nodes");
  const at = ground.clock.nowMs();
  const node = { id: "node_slow", applied_seq: seq - 1, started_at: at, seen_at: at };
  await ground.metadata.write((tx) => tx.insertInto("node").values(node).execute());
  const started = Date.now();
  assert.equal(await feed.propagate(seq), false);
  assert.ok(Date.now() - started >= 1_500 && Date.now() - started < 30_000);
  ground.clock.advance(5_001);
  assert.equal(await feed.propagate(seq), true, "a node that was not seen for five seconds is not waited for");
});

test("a node without its database decides by its memory for one second, then answers 503, never 401", async () => {
  const line = cuttable(ground.metadata);
  const identity = await ground.node({ metadata: line.store });
  const client = await credentialOf(identity);
  const token = await tokenOf(identity, client);
  await identity.authenticator.authenticate(token);
  line.cut();
  ground.clock.advance(1_000);
  await identity.authenticator.authenticate(token);
  ground.clock.advance(1);
  await assert.rejects(identity.authenticator.authenticate(token), { code: "unavailable" });
  await assert.rejects(tokenOf(identity, client), { code: "unavailable" });
  line.mend();
  await identity.authenticator.authenticate(token);
});

test("a node without its database answers 503 for credentials that it does not know", async () => {
  const line = cuttable(ground.metadata);
  const identity = await ground.node({ metadata: line.store });
  const client = await credentialOf(await ground.node());
  const token = await tokenOf(await ground.node(), client);
  line.cut();
  await assert.rejects(identity.authenticator.authenticate(token), { code: "unavailable" }, "never synced");
  line.mend();
  await identity.feed.sync();
  line.cut();
  await assert.rejects(
    identity.authenticator.authenticate(token),
    { code: "unavailable" },
    "the credential was never read",
  );
  await assert.rejects(tokenOf(identity, client), { code: "unavailable" });
});

test("a node that slept sees revocations before it decides anything", async () => {
  const sleeper = await ground.node();
  const other = await ground.node();
  const client = await credentialOf(other);
  const token = await tokenOf(sleeper, client);
  await sleeper.authenticator.authenticate(token);
  await other.credentials.revoke({ actor: SYSTEM }, client.id);
  ground.clock.advance(5_001);
  await assert.rejects(sleeper.authenticator.authenticate(token), { code: "invalid_token" });
});

test("a node that starts later knows the tokens that were revoked before", async () => {
  const identity = await ground.node();
  const client = await credentialOf(identity);
  const token = await tokenOf(identity, client);
  const { claims } = await identity.tokens.verifier.verify(token);
  assert.deepEqual(await identity.tokens.revoke(claims, { actor: { kind: "credential", id: client.id } }), {
    propagated: true,
  });
  const later = await ground.node();
  for (const node of [identity, later])
    await assert.rejects(node.authenticator.authenticate(token), { code: "invalid_token", message: /revoked/ });
  assert.equal(claims.org, ORG_ID);
  await later.authenticator.authenticate(await tokenOf(later, client));
});
