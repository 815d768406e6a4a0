import assert from "node:assert/strict";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { trustedClock } from "#kernel/testing.ts";
import { Schedule } from "#stores/jobs/index.ts";
import { openMetadata } from "#stores/metadata/index.ts";
import { DATABASES, postgresUrl } from "../../../../../tests/fixtures/databases.ts";
import { openTelemetry } from "../index.ts";
import { layoutOf } from "../layout.ts";
import { TEST_ORIGIN } from "../testing/origin.ts";
import { DAY_MS, filesBelow, rowsOf, setPolicy } from "../testing/retention.ts";
import { openTestStore, readMessages, recordingLog, temporaryDirectory, testSettings } from "../testing/store.ts";
import type { RetentionRule } from "./plans.ts";

/** Retention by rules: what queries show, which files are dropped or rewritten, and the grace of a change. */

const ORG = "org_a";
const NOON = Date.parse("2026-11-20T12:00:00Z");
const at = (days: number): string => new Date(NOON - days * DAY_MS).toISOString().replace("Z", "000Z");

const RULES: readonly RetentionRule[] = [
  { name: "audit", type: "logs", match: { attributes: { kind: "audit" } }, days: 100 },
  { name: "debug", type: "logs", match: { service: "shop", level: "debug" }, days: 2 },
  { name: "shop", type: "logs", match: { service: "shop" }, days: 20 },
];

/** Rows of each kind, so many days old. */
function rowsAged(days: number): Record<string, unknown>[] {
  const row = (message: string, more: object): Record<string, unknown> => ({
    timestamp: at(days),
    message: `${message} ${days}`,
    ...more,
  });
  return [
    row("audit", { service: "shop", level: "debug", attributes: { kind: "audit" } }),
    row("debug", { service: "shop", level: "debug" }),
    row("shop", { service: "shop", level: "info", attributes: { kind: "other" } }),
    row("plain", { level: "debug" }),
  ];
}

for (const { kind, skip } of DATABASES)
  test(`the first rule that matches a row decides, on ${kind}, for hot rows and for files`, { skip }, async () => {
    await using dir = await temporaryDirectory();
    const url = kind === "sqlite" ? undefined : await postgresUrl(dir.path);
    const clock = trustedClock({ nowMs: () => NOON });
    const metadata = await openMetadata({ url, dataDir: dir.path, clock });
    const settings = {
      compactionRowsBytes: 1 << 20,
      compactionIntervalMs: 60_000,
      queryConcurrency: 1,
      queryConcurrencyOrganization: 1,
      retention: { checkEveryMs: 0 },
    };
    const options = {
      schedule: new Schedule(clock),
      dataDir: dir.path,
      metadata,
      clock,
      log: recordingLog(),
      settings,
    };
    const store = await openTelemetry(options);
    const shown = async (orgId: string): Promise<string[]> => {
      const run = await store.query({
        orgId,
        origin: TEST_ORIGIN,
        visible: "all",
        sql: "SELECT message FROM logs ORDER BY message",
        parameters: [],
        format: "csv",
        timeoutMs: 30_000,
        memoryBytesMax: 256 * 1024 * 1024,
        rowsMax: 1000,
        truncate: false,
        signal: new AbortController().signal,
      });
      return (await text(run.body)).split("\r\n").slice(1, -1);
    };
    for (const org of [ORG, "org_b"])
      for (const days of [1, 5, 15, 50, 200]) await store.append(rowsOf(org, "logs", rowsAged(days)));
    await setPolicy(metadata, ORG, { retention_days_logs: 10, retention_rules: JSON.stringify(RULES) });
    await store.refresh();
    const kept = [
      "audit 1",
      "audit 15",
      "audit 5",
      "audit 50",
      "debug 1",
      "plain 1",
      "plain 5",
      "shop 1",
      "shop 15",
      "shop 5",
    ];
    assert.deepEqual(await shown(ORG), kept);
    assert.equal((await shown("org_b")).length, 20, "other organizations keep their rows");
    const short = { retention_days_logs: 1, retention_rules: "[]" };
    const before = [{ untilMs: NOON + 1, rules: RULES, days: { logs: 10 } }];
    await setPolicy(metadata, ORG, { ...short, retention_before: JSON.stringify(before) });
    await store.refresh();
    assert.deepEqual(await shown(ORG), kept, "the former rules still count");
    await setPolicy(metadata, ORG, { ...short, retention_before: JSON.stringify([{ ...before[0], untilMs: NOON }]) });
    await store.refresh();
    assert.deepEqual(await shown(ORG), ["audit 1", "debug 1", "plain 1", "shop 1"]);
    await store.close();
    await metadata.close();
  });

test("files without kept rows are dropped, mixed ones are rewritten, and others stay", async () => {
  await using dir = await temporaryDirectory();
  const store = await openTestStore(dir.path, { clock: { nowMs: () => NOON }, log: recordingLog() });
  for (const days of [1, 5, 15, 50, 200]) {
    await store.rows.append(rowsOf(ORG, "logs", rowsAged(days)));
    await store.rows.compact();
  }
  await store.rows.append(rowsOf("org_b", "logs", rowsAged(200)));
  await store.rows.compact();
  await setPolicy(store.metadata, ORG, { retention_days_logs: 10, retention_rules: JSON.stringify(RULES) });
  await store.rows.lifecycle.refresh();
  await store.rows.lifecycle.dropPast();
  const left = [
    "audit 1",
    "debug 1",
    "shop 1",
    "plain 1",
    "audit 5",
    "shop 5",
    "plain 5",
    "audit 15",
    "shop 15",
    "audit 50",
  ];
  assert.deepEqual((await readMessages(store.rows, ORG)).toSorted(), left.toSorted());
  assert.equal((await readMessages(store.rows, "org_b")).length, 4);
  assert.deepEqual(await filesBelow(layoutOf(dir.path).work), []);
  await store.close();
});

test("a file is rewritten only for a fifth of its rows, and deleted later than hidden", async () => {
  await using dir = await temporaryDirectory();
  const clock = { now: NOON, nowMs: () => clock.now };
  const { retention, ...settings } = testSettings();
  const later = { ...settings, retention: { ...retention, deleteAfterMs: DAY_MS } };
  const store = await openTestStore(dir.path, { clock, settings: later });
  const rows = Array.from({ length: 10 }, (_, i) => ({
    timestamp: at(5),
    message: `m${i}`,
    service: i < 1 ? "few" : "shop",
  }));
  await store.rows.append(rowsOf(ORG, "logs", rows));
  await store.rows.compact();
  const rules = (service: string) =>
    JSON.stringify([{ name: "r", type: "logs", match: { service }, days: 3 } satisfies RetentionRule]);
  const left = async (): Promise<number> => {
    await store.rows.lifecycle.refresh();
    await store.rows.lifecycle.dropPast();
    return (await readMessages(store.rows, ORG)).length;
  };
  await setPolicy(store.metadata, ORG, { retention_rules: rules("few") });
  assert.equal(await left(), 10, "one of ten rows is only hidden");
  await setPolicy(store.metadata, ORG, { retention_rules: rules("shop") });
  assert.equal(await left(), 1);
  await setPolicy(store.metadata, ORG, { retention_days_logs: 5 });
  const files = async (): Promise<number> => {
    await left();
    return store.rows.lifecycle.usage(ORG).logs.files;
  };
  clock.now = NOON + DAY_MS - 1;
  assert.equal(await files(), 1, "it stays for a day after it was hidden");
  clock.now = NOON + DAY_MS + 1;
  assert.equal(await files(), 0);
  await store.close();
});
