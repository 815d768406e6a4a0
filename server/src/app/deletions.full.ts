/** Every deletion by time waits while the clock is in doubt, and continues after an operator accepts the clock. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createIdempotency } from "#domain/idempotency/index.ts";
import { Activity, createIdentity, type Identity } from "#domain/identity/index.ts";
import { cleanUp, purgeDue } from "#domain/files/index.ts";
import { beginSession, tidyLogins } from "#domain/people/testing/sessions.ts";
import { deleteOldUsage } from "#domain/usage/index.ts";
import { tidyRequests } from "#domain/requests/index.ts";
import { applyAllRetention, collectRegistry, CONTENT_OWNER } from "#domain/registry/index.ts";
import { ConfigCache, runLifecycle, tidyHandler as tidyS3 } from "#domain/s3/testing/lifecycle.ts";
import { RefusedEntries } from "#domain/refused-entries/index.ts";
import { endDue } from "#domain/trash/index.ts";
import { tidyHandler as tidyWebhooks, webhookTrash } from "#domain/webhooks/index.ts";
import { DELETIONS, type Deletion } from "#kernel/deletions.ts";
import { ClockGuard } from "#stores/clock/index.ts";
import type { MetadataStore, Tables } from "#stores/metadata/index.ts";
import { ROWS, openTestMetadata } from "#stores/metadata/testing.ts";
import { openObjects, type ObjectStore } from "#stores/objects/index.ts";
import { openTestStore, logBatch, temporaryDirectory } from "#stores/telemetry/testing/store.ts";
import { rowsOf, setPolicy } from "#stores/telemetry/testing/retention.ts";
import { Schedule } from "#stores/jobs/index.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const START = Date.UTC(2026, 10, 23);
const JUMP = 40 * DAY;
const LOG = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const SIGNAL = new AbortController().signal;

/** The environment of a case. Everything is real, except that the test sets the clock. */
interface Ground {
  readonly dataDir: string;
  readonly metadata: MetadataStore;
  readonly objects: ObjectStore;
  readonly identity: Identity;
  readonly clock: ClockGuard;
  readonly job: { readonly signal: AbortSignal };
}

interface Case {
  /** The table of the deleted row: it has one row before the deletion, and none after it. */
  readonly table: keyof Tables;
  readonly row: object;
  readonly run: (ground: Ground) => Promise<unknown>;
}

const jobs = {} as never;
const webhooks = ({ metadata, clock, objects, job }: Ground) =>
  tidyWebhooks({ metadata, clock, objects, retentionDays: 30 }).run(job as never);
const s3Tidy = ({ metadata, clock, job }: Ground) => tidyS3({ metadata, clock }).run(job as never);
const files = (ground: Ground) => cleanUp(ground);
const images = (ground: Ground) => {
  const settings = { blobBytesMax: 1, storedBytesMax: null, uploadLifetimeMs: 1, leaseMs: 1 };
  return { ...ground, settings };
};

/** Each deletion is due after the start, and long before the time that the clock jumps to. */
const CASES: Readonly<
  Record<
    Exclude<Deletion, "audit_log" | "organizations" | "telemetry" | "telemetry_keys" | "orphans" | "s3_locks">,
    Case
  >
> = {
  content: {
    table: "blob",
    row: {
      id: "blob_idle",
      refs: 0,
      idle_since: START,
      state: "ready",
      place: "inline",
      store_id: "",
      org_id: "org_1",
    },
    run: ({ objects }) => objects.collect(),
  },
  uploads: { table: "upload_grant", row: { expires_at: START + HOUR, claimed_until: null }, run: files },
  file_trash: { table: "trashed_file", row: { deleted_at: START, purge_at: START + 7 * DAY }, run: purgeDue },
  trash: {
    table: "trash_item",
    row: { kind: "webhook", deleted_at: START, purge_at: START + 7 * DAY },
    run: ({ metadata, clock, job }) => {
      const webhook = webhookTrash({ metadata, clock, forwardAgain: async () => undefined, forget: () => undefined });
      return endDue({ metadata, clock, log: LOG, kinds: { webhook } as never }, job.signal);
    },
  },
  webhook_events: { table: "webhook_event", row: { received_at: START }, run: webhooks },
  webhook_rejections: { table: "webhook_rejection", row: { at: START }, run: webhooks },
  webhook_remains: { table: "webhook", row: { id: "hook_gone", deleted_at: START }, run: webhooks },
  s3_lifecycle: {
    table: "s3_object",
    row: { modified_at: START, seq: 1 },
    run: (ground) => {
      const settings = { lifecycleDayMs: DAY } as never;
      const deps = { ...ground, jobs, settings, configs: new ConfigCache(), envelope: {}, outbound: {}, log: LOG };
      return runLifecycle(deps as never, "app_1", SIGNAL);
    },
  },
  s3_uploads: { table: "s3_upload", row: { completed_at: START }, run: s3Tidy },
  s3_deliveries: { table: "s3_delivery", row: { state: "dead", created_at: START }, run: s3Tidy },
  image_uploads: {
    table: "registry_upload",
    row: { expires_at: START + HOUR },
    run: (g) => collectRegistry(images(g)),
  },
  image_rules: { table: "registry_tag", row: { updated_at: START }, run: (g) => applyAllRetention(images(g)) },
  images: {
    table: "registry_blob",
    row: { lease_until: START + HOUR, digest: `sha256:${"e".repeat(64)}` },
    run: (g) => collectRegistry(images(g)),
  },
  idempotency_keys: {
    table: "idempotency",
    row: { created_at: START },
    run: async ({ metadata, clock }) => {
      const keys = createIdempotency({ metadata, clock, envelope: PLAIN });
      const begun = await keys.begin("another", "f");
      if ("claim" in begun) await keys.abandon(begun.claim);
    },
  },
  activity: {
    table: "credential_activity",
    row: { hour: START },
    run: async ({ metadata, clock }) => {
      const activity = new Activity({ schedule: new Schedule(clock), metadata, clock, log: LOG });
      const who = { orgId: "org_1", id: "cred_9", isPerson: true, ip: "::1", userAgent: "" };
      const bytes = { projectId: null, bytesIn: 0, bytesOut: 0 };
      activity.count({ ...who, ...bytes, service: "query", refused: false, limited: false });
      await activity.stop();
    },
  },
  usage: {
    table: "usage_daily",
    row: { day: START - 360 * DAY },
    run: (parts) => deleteOldUsage(parts),
  },
  refused_entries: {
    table: "refused_entries",
    row: { hour: START },
    run: async ({ metadata, clock }) => {
      const counter = new RefusedEntries({ schedule: new Schedule(clock), metadata, clock, log: LOG });
      await counter.stop();
    },
  },
  refused_requests: {
    table: "refused_request",
    row: { at: START },
    run: (parts) => tidyRequests(parts),
  },
  sessions: {
    table: "browser_session",
    row: { last_seen_at: START, expires_at: START + 14 * DAY },
    run: ({ metadata, clock }) =>
      metadata
        .write(async (tx) => {
          const origin = { ip: null, requestId: null, userAgent: null };
          await beginSession({ metadata, clock }, tx, "user_1", { method: "password", origin });
          await tx.deleteFrom("browser_session").where("created_at", ">", START).execute();
        })
        .then(() => undefined),
  },
  logins: {
    table: "login",
    row: { last_used_at: START },
    run: ({ metadata, clock }) => metadata.write((tx) => tidyLogins({ clock }, tx)),
  },
  signing_keys: {
    table: "signing_key",
    row: { retired_at: START, removed_at: START + HOUR },
    run: ({ identity }) => identity.keys.reload().then(() => identity.keys.maintain()),
  },
  revocations: {
    table: "node",
    row: { id: "node_gone", seen_at: START },
    // Sends the heartbeat, every two seconds of its clock.
    run: async ({ identity, clock, metadata }) => {
      const heldBefore = clock.state().held.get("revocations") ?? 0;
      // Moves the real time, too, so that hourly work is due again.
      wallMs += 2 * HOUR;
      realMs += 2 * HOUR;
      await until(async () => {
        const gone = (await metadata.read.selectFrom("node").selectAll().where("id", "=", "node_gone").execute())
          .length;
        return gone === 0 || (clock.state().held.get("revocations") ?? 0) > heldBefore;
      });
      void identity;
    },
  },
};

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (!(await holds())) {
    assert.ok(performance.now() < deadline, "the condition did not become true");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

let wallMs = START;
let realMs = 0;
let ground: Ground;

before(async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "mooring-deletions-"));
  const wall = { nowMs: () => wallMs };
  const metadata = await openTestMetadata({ url: undefined, dataDir, clock: wall });
  const realTime = { bootId: null, elapsedMs: () => realMs };
  const clock = new ClockGuard({ schedule: new Schedule(wall), dataDir, metadata, clock: wall, realTime, log: LOG });
  await clock.start();
  const identity = await createIdentity({
    schedule: new Schedule(clock),
    metadata,
    clock,
    dataDir,
    issuer: "http://i",
    audience: "http://i",
    log: LOG,
  });
  await identity.start();
  const settings = { graceMs: HOUR, collectEveryMs: 0, diskFreeBytesMin: 0 };
  const objects = await openObjects({ dataDir, metadata, clock, log: LOG, settings });
  ground = { dataDir, metadata, objects, identity, clock, job: { signal: SIGNAL } };
});

after(async () => {
  await ground.objects.close();
  await ground.identity.stop();
  await ground.clock.stop();
  await ground.metadata.close();
  rmSync(ground.dataDir, { recursive: true });
});

/** Inserts one row into every table, and the row to delete. The times of all other rows are far ahead. */
async function arrange({ metadata }: Ground): Promise<void> {
  const kept = new Set([
    "migration",
    "audit",
    "auth_change",
    "signing_key",
    "key",
    "key_rotation",
    "s3_part",
    "s3_history",
  ]);
  const changes = new Map<string, object>();
  for (const { table, row } of Object.values(CASES)) changes.set(table, row);
  const rules = { expiration: { days: 1 }, id: "r", enabled: true, filter: {} };
  const shared: Record<string, object> = {
    registry_repository: {
      retention: JSON.stringify({ keepLast: 0, keepDays: 1, keepTags: [], untaggedDays: null }),
      immutable_tags: "[]",
    },
    s3_object: { key: Buffer.from("a") },
    blob: { refs: 1000, idle_since: null },
    registry_blob: { blob_id: "blob_images" },
    registry_upload_part: { blob_id: "blob_images" },
    s3_bucket: { config: JSON.stringify({ lifecycle: [rules] }), versioning: "unversioned" },
    registry_manifest: { blob_id: "blob_images", subject: null, untagged_at: null, last_pull_at: START },
  };
  const [, key = assert.fail("there is only one key")] = await metadata.read
    .selectFrom("signing_key")
    .selectAll()
    .execute();
  await metadata.write(async (tx) => {
    const images = {
      ...ROWS.blob,
      id: "blob_images",
      org_id: CONTENT_OWNER,
      refs: 1000,
      idle_since: null,
      sha256: null,
    };
    await tx.insertInto("blob").values(images).execute();
    await tx.updateTable("signing_key").set(CASES.signing_keys.row).where("kid", "=", key.kid).execute();
    for (const [table, row] of Object.entries(ROWS)) {
      if (kept.has(table)) continue;
      const change = changes.get(table) ?? {};
      const base = { ...row, ...shared[table] };
      // A row with a separate key can be inserted beside the row that others refer to.
      const isBeside = ["id", "kid", "digest"].some((name) => name in change);
      for (const values of isBeside ? [base, { ...base, ...change, ...unique(table) }] : [{ ...base, ...change }])
        await tx
          .insertInto(table as "node")
          .values(values as never)
          .onConflict((on) => on.doNothing())
          .execute();
    }
  });
}

function unique(table: string): object {
  return table === "blob" ? { sha256: null } : {};
}

async function countOf({ table, row }: Case): Promise<number> {
  const rows = (await ground.metadata.read
    .selectFrom(table as "node")
    .selectAll()
    .execute()) as unknown as Record<string, unknown>[];
  const wanted = Object.entries(row).filter(([, value]) => value !== null);
  return rows.filter((each) => wanted.every(([name, value]) => String(each[name]) === String(value))).length;
}

/** Stores keys in clear text, because this test needs no encryption. */
const PLAIN = {
  seal: (_place: unknown, bytes: Uint8Array) => bytes,
  open: (_place: unknown, bytes: Uint8Array) => Buffer.from(bytes),
};

test("with the clock 40 days ahead nothing is deleted; after the clock is accepted, everything is deleted", async (t) => {
  await arrange(ground);
  for (const [name, each] of Object.entries(CASES)) assert.equal(await countOf(each), 1, `${name} is there`);
  wallMs = START + JUMP;
  for (const [name, each] of Object.entries(CASES))
    await t.test(`${name} is held`, async () => {
      const heldBefore = ground.clock.state().held.get(name as Deletion) ?? 0;
      await each.run(ground);
      assert.equal(await countOf(each), 1, "it is still there");
      assert.ok(
        (ground.clock.state().held.get(name as Deletion) ?? 0) > heldBefore,
        "the deletion checked the clock, and was counted",
      );
    });
  ground.clock.accept();
  // Moves two more hours of real time, so that hourly work is due again.
  wallMs += 2 * HOUR;
  realMs += 2 * HOUR;
  for (const [name, each] of Object.entries(CASES))
    await t.test(`${name} is deleted`, async () => {
      wallMs += 1;
      await each.run(ground);
      assert.equal(await countOf(each), 0, "it is gone");
    });
});

test("telemetry and its idempotency keys are held", async () => {
  await using dir = await temporaryDirectory();
  let nowMs = START;
  const metadata = await openTestMetadata({ url: undefined, dataDir: dir.path, clock: { nowMs: () => nowMs } });
  const clock = new ClockGuard({
    schedule: new Schedule({ nowMs: () => nowMs }),
    dataDir: dir.path,
    metadata,
    clock: { nowMs: () => nowMs },
    realTime: { bootId: null, elapsedMs: () => 0 },
    log: LOG,
  });
  await clock.start();
  await setPolicy(metadata, "org_a", { retention_days_logs: 7 });
  /** A start and a compaction delete older segments of the log, and save their keys. */
  const restartWith = async (key: string): Promise<{ rows: number; keys: number }> => {
    const store = await openTestStore(dir.path, { clock });
    await store.rows.append(logBatch("org_b", [key], { keyHash: key, bodyHash: "b1" }));
    await store.close();
    const again = await openTestStore(dir.path, { clock });
    await again.rows.compact();
    await again.rows.lifecycle.dropPast();
    const { rows } = again.rows.lifecycle.usage("org_a").logs;
    await again.close();
    return { rows, keys: (await metadata.read.selectFrom("telemetry_key").select("key_hash").execute()).length };
  };
  const first = await openTestStore(dir.path, { clock });
  const timestamp = new Date(START - DAY).toISOString().replace("Z", "000Z");
  await first.rows.append(rowsOf("org_a", "logs", [{ timestamp, message: "m" }]));
  await first.close();
  assert.deepEqual(await restartWith("k1"), { rows: 1, keys: 1 });
  nowMs = START + JUMP;
  assert.deepEqual(await restartWith("k2"), { rows: 1, keys: 2 }, "held");
  clock.accept();
  assert.deepEqual(await restartWith("k3"), { rows: 0, keys: 2 }, "the row and the first key are gone");
  assert.ok((clock.state().held.get("telemetry") ?? 0) > 0);
  assert.ok((clock.state().held.get("telemetry_keys") ?? 0) > 0);
  await clock.stop();
  await metadata.close();
});

/** Comparisons with the time that delete nothing important, each with the reason. */
const NO_DELETIONS: Readonly<Record<string, string>> = {
  "stores/jobs/store.ts due_at": "takes jobs that are due",
  "domain/files/store.ts claimed_until": "takes over a claim whose holder has ended",
  "domain/identity/credentials/last-use/store.ts last_used_at": "moves a time ahead",
  "domain/identity/credentials/store.ts m.created_at": "reads",
  "domain/identity/federation/store.ts last_used_at": "moves a time ahead",
  "domain/people/sessions/store.ts last_seen_at": "moves a time ahead; the deletion in the same file takes a cutoff",
  "domain/people/sign-in/store.ts expires_at": "a sign-in that runs for minutes; the person begins it again",
  "domain/accounts/store.ts expires_at":
    "a link that expired after an hour; its account gets a new one in the same transaction",
  "domain/organizations/setup/store.ts expires_at": "a link whose person gets a new one in the same transaction",
  "domain/organizations/endings/store.ts member.expires_at": "reads",
  "domain/organizations/endings/store.ts m.expires_at": "reads",
  "domain/organizations/endings/store.ts membership_expires_at": "reads",
  "domain/delivery/forwarding/store.ts next_attempt_at": "reads due rows",
  "domain/delivery/forwarding/store.ts received_at": "reads",
  "domain/registry/retention-store.ts untagged_at": "reads, also for a dry run; applyRetention passes a cutoff",
  "domain/registry/retention-store.ts last_pull_at": "reads, also for a dry run; applyRetention passes a cutoff",
  "app/commands/store.ts erasure.created_at": "reads",
};

test("every comparison with the time uses a cutoff, or is in the list of NO_DELETIONS", () => {
  const root = join(import.meta.dirname, "..");
  const found = new Set<string>();
  const wrong: string[] = [];
  for (const path of readdirSync(root, { recursive: true, encoding: "utf8" })) {
    if (!path.endsWith(".ts") || /test\.ts$|full\.ts$|\/testing|\/contract\//.test(path)) continue;
    const text = readFileSync(join(root, path), "utf8");
    for (const [, column = ""] of text.matchAll(/"([a-z_.]*(?:_at|_since|_until|hour|minute)|at)", "<=?",/g)) {
      const name = `${path} ${column}`;
      found.add(name);
      if (!text.includes("Cutoff") && NO_DELETIONS[name] === undefined) wrong.push(name);
    }
  }
  assert.ok(found.size > 20, "the sources were read");
  assert.deepEqual(wrong, [], "use the time as a Cutoff (kernel/deletions.ts), or say here why nothing is deleted");
  assert.deepEqual(
    Object.keys(NO_DELETIONS).filter((name) => !found.has(name)),
    [],
    "these comparisons no longer exist: delete them from NO_DELETIONS",
  );
});

test("each deletion of the list gets its cutoff by its name, and no other code gets one", () => {
  const root = join(import.meta.dirname, "..");
  const asked = new Set<string>();
  const makers: string[] = [];
  for (const path of readdirSync(root, { recursive: true, encoding: "utf8" })) {
    if (!path.endsWith(".ts") || /test\.ts$|full\.ts$|testing/.test(path)) continue;
    const text = readFileSync(join(root, path), "utf8");
    for (const [, name = ""] of text.matchAll(/deletionTime\("([a-z0-9_]+)"\)/g)) asked.add(name);
    if (text.includes("as Cutoff")) makers.push(path);
  }
  assert.deepEqual([...asked].toSorted(), Object.keys(DELETIONS).toSorted());
  assert.deepEqual(makers.toSorted(), ["kernel/deletions.ts", "stores/clock/guard.ts"]);
});

test("orphans are not deleted while the clock of their directory is in doubt", async () => {
  await using dir = await temporaryDirectory();
  const metadata = await openTestMetadata({ url: undefined, dataDir: dir.path, clock: { nowMs: () => Date.now() } });
  const realTime = { bootId: null, elapsedMs: () => 0 };
  let behindMs = 2 * HOUR;
  const clock = { nowMs: () => Date.now() - behindMs };
  const guard = new ClockGuard({
    schedule: new Schedule(clock),
    dataDir: dir.path,
    metadata,
    clock,
    realTime,
    log: LOG,
  });
  await guard.start();
  behindMs = 0;
  assert.equal(guard.isTrusted(), false);
  await guard.stop();
  await metadata.close();
  const main = join(import.meta.dirname, "../../bin/mooring.mjs");
  const args = [main, "scrub", "--delete-orphans", "--data-dir", dir.path];
  // Leaves out variables that name programs for tests, because they are not settings.
  const scrub = spawnSync(process.execPath, args, { encoding: "utf8", env: { PATH: process.env["PATH"] ?? "" } });
  assert.notEqual(scrub.status, 0);
  assert.match(scrub.stderr, /cannot delete anything by time/);
});
