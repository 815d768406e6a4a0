import { trustedClock } from "#kernel/testing.ts";
import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { systemClock } from "#kernel/time.ts";
import { openTestMetadata } from "#stores/metadata/testing.ts";
import { openTelemetry, TELEMETRY_TYPES, type TelemetryStore, type TelemetryType } from "#stores/telemetry/index.ts";
import { encodeEntries } from "./entries.ts";
import { Schedule } from "#stores/jobs/index.ts";
import { TEST_ORIGIN } from "#stores/telemetry/testing/origin.ts";

const ORG = "org_a";
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** JSON texts that have broken readers. Each is used for every value that accepts any JSON. */
const STRINGS = [
  '""',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udfff\\ud800"',
  '"\\ud83d\\ude42"',
  '"\\"\\\\\\/\\b\\f\\n\\r\\t"',
  '"\u2028\u2029"',
  '"\ufeff\uffff"',
  '"NULL"',
  '"null"',
  '"\'; --"',
  '"{\\"a\\":1}"',
  `"${"x".repeat(100_000)}"`,
];
const NUMBERS = [
  "0",
  "-0",
  "0.1",
  "1e308",
  "-1e308",
  "5e-324",
  "1e-400",
  "9007199254740993",
  "18446744073709551615",
  "-9223372036854775808",
  "18446744073709551616",
  `0.${"1".repeat(300)}`,
  `${"9".repeat(200)}`,
];
const NAMES = [...STRINGS.slice(0, 12), '"a"', '"A"', '"a.b"', '"$"', '"__proto__"', '"timestamp"'];
const VALUES = [
  ...STRINGS,
  ...NUMBERS,
  "true",
  "null",
  "[]",
  "{}",
  `${"[".repeat(30)}${"]".repeat(30)}`,
  `${'{"a":'.repeat(29)}{}${"}".repeat(29)}`,
  '[1,"a",null,{"b":[true]},1.5]',
  '{"a":1,"a":2}',
];
const TIMES = [
  "0001-01-01T00:00:00Z",
  "9999-12-31T23:59:59.999999999Z",
  "1969-12-31T23:59:59.999999Z",
  "2024-02-29T12:00:00.5+00:00",
];

const object = (members: readonly string[]): string => `{${members.join(",")}}`;

/** Writes each value in each form, spread over entries. */
function entriesOf(type: TelemetryType): string[] {
  const time = (i: number): string => `"timestamp":"${TIMES[i % TIMES.length]}"`;
  const text = (i: number): string => STRINGS[i % STRINGS.length] ?? '""';
  const short = (i: number): string => STRINGS[i % (STRINGS.length - 1)] ?? '""';
  if (type === "metrics") {
    const tags = NAMES.map((name, i) => `${name}:${text(i)}`);
    return NUMBERS.map((value, i) =>
      object([time(i), `"name":${text(i)}`, `"value":${value}`, `"tags":${object(tags.slice(0, i + 6))}`]),
    );
  }
  const attributes = (value: string, i: number): string =>
    `"attributes":${object([`${NAMES[i % NAMES.length]}:${value}`, `"same":${value}`])}`;
  return VALUES.map((value, i) => {
    const common = [
      time(i),
      `"trace_id":${text(i + 1)}`,
      `"span_id":${short(i + 2)}`,
      `"service":${short(i + 3)}`,
      attributes(value, i),
    ];
    if (type === "logs") return object([...common, `"level":${short(i)}`, `"message":${text(i)}`]);
    return object([
      ...common,
      `"name":${text(i)}`,
      `"status":${short(i)}`,
      `"kind":${short(i)}`,
      `"duration_ms":${NUMBERS[i % 6]}`,
    ]);
  });
}

async function rowsIn(store: TelemetryStore, type: TelemetryType): Promise<string> {
  const columns = type === "metrics" ? "sum(cardinality(tags))" : "count(attributes)";
  const run = await store.query({
    orgId: ORG,
    origin: TEST_ORIGIN,
    visible: "all",
    sql: `SELECT count(*) AS n, ${columns} AS m, count("timestamp") AS t FROM ${type}`,
    parameters: [],
    format: "csv",
    timeoutMs: 30_000,
    memoryBytesMax: 256 * 1024 * 1024,
    rowsMax: 10,
    truncate: false,
    signal: new AbortController().signal,
  });
  return text(run.body);
}

test("no accepted entry can break a query or a compaction", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "mooring-poison-"));
  const metadata = await openTestMetadata({ url: undefined, dataDir, clock: trustedClock(systemClock) });
  const settings = {
    compactionRowsBytes: 1024 * 1024 * 1024,
    compactionIntervalMs: 1_000_000_000,
    queryConcurrency: 4,
    queryConcurrencyOrganization: 4,
  };
  let store = await openTelemetry({
    schedule: new Schedule(systemClock),
    dataDir,
    metadata,
    clock: trustedClock(systemClock),
    log: silent,
    settings,
  });
  const expected = new Map<TelemetryType, string>();
  for (const type of TELEMETRY_TYPES) {
    let count = 0;
    for (const entry of entriesOf(type)) {
      const encoded = encodeEntries(type, Buffer.from(`{"entries":[${entry}]}`), { projectId: null, lenient: true });
      await store.append({ orgId: ORG, type, rows: encoded.rows, count: encoded.count });
      count += encoded.count;
    }
    expected.set(type, await rowsIn(store, type));
    assert.ok(count >= 10, `${count} entries of ${type} were accepted`);
    assert.match(expected.get(type) ?? "", new RegExp(`^n,m,t\r\n${count},[0-9]+,${count}\r\n$`));
  }
  await store.close();
  store = await openTelemetry({
    schedule: new Schedule(systemClock),
    dataDir,
    metadata,
    clock: trustedClock(systemClock),
    log: silent,
    settings: { ...settings, compactionRowsBytes: 1024 },
  });
  const deadline = performance.now() + 60_000;
  while (store.health().hotRows > 0) {
    assert.ok(performance.now() < deadline, `${store.health().hotRows} rows are not compacted`);
    await delay(20);
  }
  for (const type of TELEMETRY_TYPES) assert.equal(await rowsIn(store, type), expected.get(type));
  assert.deepEqual(await readdir(join(dataDir, "telemetry", "quarantine")), []);
  await store.close();
  await metadata.close();
  await rm(dataDir, { recursive: true });
});
