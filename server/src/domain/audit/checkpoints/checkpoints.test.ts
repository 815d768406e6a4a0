import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { openTestMetadata } from "#stores/metadata/testing.ts";
import { hashOf } from "../event.ts";
import {
  appendAudit,
  compareCheckpoints,
  isSignedByOne,
  makeCheckpoint,
  parseNote,
  parseVerifier,
  verifyAudit,
  type SignedCheckpoint,
} from "../index.ts";

const ORG = "org_test";
const DAY_MS = 86_400_000;
let nowMs = 0;
const clock = { nowMs: () => nowMs };
const dataDir = mkdtempSync(join(tmpdir(), "mooring-checkpoints-"));
/** Sealing has its own tests. */
const envelope = {
  seal: (_place: unknown, plain: Uint8Array): Uint8Array => plain,
  open: (_place: unknown, sealed: Uint8Array) => Buffer.from(sealed) as Buffer,
};
let metadata: MetadataStore;

before(async () => {
  metadata = await openTestMetadata({ url: undefined, dataDir, clock });
});
beforeEach(async () => {
  nowMs = Date.parse("2026-11-20T08:00:00Z");
  await metadata.write(async (tx) => {
    for (const table of ["audit", "audit_head", "checkpoint_key"] as const) await tx.deleteFrom(table).execute();
  });
  await append(5);
});
after(async () => {
  await metadata.close();
  rmSync(dataDir, { recursive: true });
});

async function append(count: number): Promise<void> {
  const event = { orgId: ORG, actor: { kind: "system", id: null }, action: "thing.do", result: "success" } as const;
  for (let n = 0; n < count; n++)
    await metadata.write((tx) => appendAudit({ metadata, clock }, tx, { ...event, detail: { n } }));
}

async function make(): Promise<SignedCheckpoint> {
  const made = await makeCheckpoint({ metadata, clock, envelope, instance: "mooring.example.com" }, ORG);
  return made ?? assert.fail("an empty log");
}

async function compare(...made: readonly SignedCheckpoint[]): Promise<string[]> {
  return compareCheckpoints(
    { metadata },
    ORG,
    made.map(({ note }) => parseNote(note).checkpoint),
  );
}

/** Builds a new valid chain from an entry on, as somebody who can write all tables would. */
async function rewrite(fromSeq: number): Promise<void> {
  await metadata.write(async (tx) => {
    const rows = await tx.selectFrom("audit").selectAll().where("org_id", "=", ORG).orderBy("seq").execute();
    let previous = "";
    for (const row of rows) {
      if (row.seq >= fromSeq) {
        const changed = { ...row, action: "thing.else", prev_hash: row.seq === 1 ? row.prev_hash : previous };
        const hash = hashOf(changed);
        const { action, prev_hash } = changed;
        await tx
          .updateTable("audit")
          .set({ action, prev_hash, hash })
          .where("org_id", "=", ORG)
          .where("seq", "=", row.seq)
          .execute();
        previous = hash;
      } else previous = row.hash;
    }
    await tx.updateTable("audit_head").set({ hash: previous }).where("org_id", "=", ORG).execute();
  });
}

test("a note has the form of C2SP, and its key verifies it", async () => {
  const { note, keys, size } = await make();
  const [origin, number, root, empty, signature = "", end] = note.split("\n");
  assert.deepEqual([origin, number, empty, end, size], ["mooring/mooring.example.com/org_test", "5", "", "", 5]);
  const head = await metadata.read.selectFrom("audit_head").select("hash").executeTakeFirstOrThrow();
  assert.equal(Buffer.from(root ?? "", "base64").toString("hex"), head.hash);
  const [, name, id = "", key = ""] = /^(\S+)\+([0-9a-f]{8})\+(\S+)$/.exec(keys[0] ?? "") ?? [];
  const hashed = Buffer.concat([Buffer.from(`${name}\n`), Buffer.from(key, "base64")]);
  assert.equal(id, createHash("sha256").update(hashed).digest("hex").slice(0, 8));
  assert.ok(signature.startsWith(`\u2014 ${name} `));
  const bytes = Buffer.from(signature.split(" ").at(-1) ?? "", "base64");
  assert.deepEqual([bytes.length, bytes.subarray(0, 4).toString("hex")], [68, id]);
  assert.ok(isSignedByOne(parseNote(note), keys.map(parseVerifier)));
});

test("another key, a changed note and texts of other forms are refused", async () => {
  const { note, keys } = await make();
  await metadata.write((tx) => tx.deleteFrom("checkpoint_key").execute());
  const other = await make();
  assert.notDeepEqual(other.keys, keys);
  assert.equal(isSignedByOne(parseNote(note), other.keys.map(parseVerifier)), false);
  assert.equal(isSignedByOne(parseNote(note.replace("\n5\n", "\n4\n")), keys.map(parseVerifier)), false);
  for (const text of ["", "a\n1\nAAAA\n", note.split("\n\n")[0] ?? "", note.replace("\n5\n", "\nfive\n")])
    assert.throws(() => parseNote(text), /not a signed checkpoint/);
  for (const text of ["", "name", (keys[0] ?? "").replace(/\+[0-9a-f]{8}\+/, "+00000000+")])
    assert.throws(() => parseVerifier(text), /must have the form NAME\+ID\+KEY/);
});

test("older and newer notes about a log that grew are right", async () => {
  const first = await make();
  await append(3);
  const second = await make();
  await append(1);
  assert.deepEqual(await compare(second, first), ["same", "same"]);
});

test("a rewritten entry shows in every later note, though the chain is valid", async () => {
  const first = await make();
  await append(3);
  const second = await make();
  await rewrite(7);
  assert.equal((await verifyAudit({ metadata }, ORG)).ok, true);
  assert.deepEqual(await compare(first, second), ["same", "differs"]);
});

test("a log that was cut at its end shows, though its head was cut, too", async () => {
  const note = await make();
  await metadata.write(async (tx) => {
    await tx.deleteFrom("audit").where("seq", ">", 3).execute();
    const last = await tx.selectFrom("audit").select("hash").where("seq", "=", 3).executeTakeFirstOrThrow();
    await tx.updateTable("audit_head").set({ seq: 3, hash: last.hash }).execute();
  });
  assert.equal((await verifyAudit({ metadata }, ORG)).ok, true);
  assert.deepEqual(await compare(note), ["missing"]);
});

test("after a year there is a new key, and the former one signs, too, for 90 days", async () => {
  const { keys: former } = await make();
  nowMs += 364 * DAY_MS;
  assert.deepEqual((await make()).keys, former);
  nowMs += DAY_MS;
  const both = await make();
  assert.equal(both.keys.length, 2);
  for (const key of [...former, both.keys[0] ?? ""])
    assert.ok(isSignedByOne(parseNote(both.note), [parseVerifier(key)]));
  nowMs += 90 * DAY_MS;
  assert.deepEqual((await make()).keys, [both.keys[0]]);
});
