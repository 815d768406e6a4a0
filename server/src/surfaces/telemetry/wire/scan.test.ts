import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "#kernel/problem.ts";
import type { TelemetryType } from "#stores/telemetry/index.ts";
import { parseEntries } from "./entries.ts";
import { scanEntries } from "./scan.ts";

/** Returns the rows of the slow path, or null if it refuses the body. */
function careful(type: TelemetryType, body: Buffer): { count: number; rows: unknown[] } | null {
  try {
    const { rows, count } = parseEntries(type, body, { projectId: "proj_1", lenient: false });
    return { count, rows: valuesOf(rows) };
  } catch (error) {
    assert.ok(error instanceof Problem, String(error));
    return null;
  }
}

/** Returns rows as values, with the timestamp in one form: both paths mean the same microsecond. */
function valuesOf(rows: Buffer): unknown[] {
  const lines = rows.toString().split("\n");
  assert.equal(lines.pop(), "", "rows end with a newline");
  return lines.map((line) => {
    const row = JSON.parse(line) as { timestamp: string };
    const [, seconds = "", fraction = ""] = /^(.{19})(?:\.(\d{1,6}))?Z$/.exec(row.timestamp) ?? [];
    return { ...row, timestamp: `${seconds}.${fraction.padEnd(6, "0")}Z` };
  });
}

/** The fast path may leave any body to the slow one, but its rows must equal those of the slow path. */
function assertAgrees(type: TelemetryType, body: Buffer): boolean {
  const quick = scanEntries(type, body, { projectId: "proj_1" });
  if (quick === null) return false;
  const expected = careful(type, body);
  const shown = body.toString().slice(0, 300);
  assert.notEqual(expected, null, `accepted an invalid body: ${shown}`);
  assert.deepEqual({ count: quick.count, rows: valuesOf(quick.rows) }, expected, shown);
  return true;
}

const LOG = '"timestamp":"2026-11-20T08:00:00Z","level":"info","message":"m"';
const METRIC = '"timestamp":"2026-11-20T08:00:00Z","name":"n","value":1';
const TRACE =
  '"timestamp":"2026-11-20T08:00:00Z","trace_id":"t","span_id":"s","name":"n","duration_ms":1.5,"status":"ok"';

const body = (...entries: string[]): Buffer =>
  Buffer.from(`{"entries":[${entries.map((entry) => `{${entry}}`).join(",")}]}`);

const TAKEN: readonly [string, TelemetryType, Buffer][] = [
  ["no entries", "logs", body()],
  ["a log", "logs", body(LOG)],
  ["a metric", "metrics", body(METRIC)],
  ["a span", "traces", body(TRACE)],
  ["two logs", "logs", body(LOG, LOG)],
  [
    "white space between everything",
    "logs",
    Buffer.from(` { "entries" : [ { ${LOG.replaceAll(":", " : ").replaceAll("08 : 00 : 00", "08:00:00")} } ] } `),
  ],
  ["line breaks around entries", "logs", Buffer.from(`{\n"entries":\r\n[\n{${LOG}},\n{${LOG}}\n]\n}\n`)],
  [
    "attributes of every kind",
    "logs",
    body(`${LOG},"attributes":{"a":"b","c":[1,-2.5,true,false,null,{"d":{}}],"e":{"f":[]}}`),
  ],
  ["escapes", "logs", body(String.raw`${LOG},"attributes":{"a":"\"\\\/\b\f\n\r\tA\u0000é"}`)],
  ["characters of every length", "logs", body(`${LOG},"attributes":{"ключ":"значение 值 🙂"}`)],
  ["nanoseconds", "logs", body(LOG.replace("00Z", "00.123456789Z"))],
  ["an offset of zero", "logs", body(LOG.replace("00Z", "00.5+00:00"))],
  ["a leap day", "logs", body(LOG.replace("2026-11-20", "2024-02-29"))],
  ["an integer beyond a double", "logs", body(`${LOG},"attributes":{"a":[12345678901234567890,-9007199254740993]}`)],
  ["a fraction of 17 digits", "logs", body(`${LOG},"attributes":{"a":0.30000000000000004}`)],
  ["tags", "metrics", body(`${METRIC},"tags":{"a":"b","c":""}`)],
  ["all members of a log", "logs", body(`${LOG},"service":"s","trace_id":"t","span_id":"s"`)],
  [
    "all members of a span",
    "traces",
    body(`${TRACE},"parent_span_id":"p","kind":"server","service":"s","attributes":{}`),
  ],
  ["an unknown level", "logs", body(LOG.replace("info", "chatty"))],
  [
    "levels in capitals",
    "logs",
    body(LOG.replace("info", "ERROR"), LOG.replace("info", "Warn"), LOG.replace("info", "CRITICAL")),
  ],
];

for (const [name, type, bytes] of TAKEN) {
  test(`accepts ${name}, and agrees with the parser`, () => {
    assert.ok(assertAgrees(type, bytes));
  });
}

const deep = (levels: number): string => `${LOG},"attributes":${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;

const LEFT: readonly [string, TelemetryType, Buffer][] = [
  ["nothing", "logs", Buffer.from("")],
  ["another member beside entries", "logs", Buffer.from('{"entries":[],"x":1}')],
  ["text after the body", "logs", Buffer.from('{"entries":[]} x')],
  ["a missing member", "logs", body('"timestamp":"2026-11-20T08:00:00Z","level":"info"')],
  ["an unknown member", "logs", body(`${LOG},"x":1`)],
  ["a member of another type", "metrics", body(`${METRIC},"level":"info"`)],
  ["a member twice", "logs", body(`${LOG},"level":"warn"`)],
  ["a name twice in attributes", "logs", body(`${LOG},"attributes":{"a":1,"a":2}`)],
  ["an escape in a name", "logs", body(String.raw`${LOG},"attributes":{"\u0041":1}`)],
  ["a lone surrogate", "logs", body(String.raw`${LOG},"attributes":{"a":"\ud800"}`)],
  ["an exponent", "metrics", body(METRIC.replace(":1", ":1e5"))],
  ["a fraction beyond a double", "logs", body(`${LOG},"attributes":{"a":0.1234567890123456789}`)],
  ["an integer beyond any double", "logs", body(`${LOG},"attributes":{"a":${"9".repeat(310)}}`)],
  ["a long integer with a fraction", "logs", body(`${LOG},"attributes":{"a":12345678901234567890.5}`)],
  ["a value beyond a double", "metrics", body(METRIC.replace(":1", ":12345678901234567890"))],
  ["a leading zero", "metrics", body(METRIC.replace(/1$/, "01"))],
  ["a bare minus", "metrics", body(METRIC.replace(/1$/, "-"))],
  ["a point without digits", "metrics", body(METRIC.replace(/1$/, "1."))],
  ["a line break inside an entry", "logs", body(LOG.replace(",", ",\n"))],
  ["a tab in a string", "logs", body(LOG.replace('"m"', '"a\tb"'))],
  ["a day that does not exist", "logs", body(LOG.replace("11-20", "02-30"))],
  ["another zone", "logs", body(LOG.replace("00Z", "00+01:00"))],
  ["ten digits of fraction", "logs", body(LOG.replace("00Z", "00.1234567890Z"))],
  ["a level of 33 characters", "logs", body(LOG.replace("info", "x".repeat(33)))],
  ["a tag that is not a string", "metrics", body(`${METRIC},"tags":{"a":1}`)],
  ["33 levels of nesting", "logs", body(deep(33))],
  ["257 keys", "logs", body(`${LOG},"attributes":{${Array.from({ length: 254 }, (_, i) => `"k${i}":1`).join()}}`)],
  ["1001 entries", "logs", body(...Array.from({ length: 1001 }, () => LOG))],
  ["an entry that is too large", "logs", body(LOG.replace('"m"', `"${"x".repeat(256 * 1024)}"`))],
  [
    "bytes that are not UTF-8",
    "logs",
    Buffer.concat([body(LOG).subarray(0, -4), Buffer.from([0xff]), body(LOG).subarray(-4)]),
  ],
  ["a body that ends early", "logs", body(LOG).subarray(0, -1)],
];

for (const [name, type, bytes] of LEFT) {
  test(`leaves ${name} to the parser`, () => {
    assert.equal(scanEntries(type, bytes, { projectId: null }), null);
  });
}

test("accepts 32 levels of nesting", () => assert.ok(assertAgrees("logs", body(deep(32)))));

test("agrees with the parser on every prefix and every changed byte of a body", () => {
  const bytes = body(String.raw`${LOG},"attributes":{"a":[1,-2.5,{"b":"\né"}],"c":null}`, TRACE);
  const types: TelemetryType[] = ["logs", "traces"];
  for (const type of types) {
    for (let end = 0; end <= bytes.length; end++) assertAgrees(type, bytes.subarray(0, end));
    for (let at = 0; at < bytes.length; at++) {
      for (const byte of Buffer.from('"\\{}[],: 0e-.Zu\n\u0001é')) {
        const changed = Buffer.from(bytes);
        changed[at] = byte;
        assertAgrees(type, changed);
      }
    }
  }
});

test("agrees with the parser on random bodies, and accepts most of them", () => {
  const random = randomOf(42);
  let taken = 0;
  for (let round = 0; round < 2000; round++) {
    const entry = `${LOG},"attributes":${randomObject(random, 3)}`;
    if (assertAgrees("logs", body(entry, LOG))) taken += 1;
  }
  assert.ok(taken > 500, `accepted only ${taken} of 2000`);
});

function randomObject(random: () => number, depth: number): string {
  const members = Array.from(
    { length: Math.floor(random() * 4) },
    (_, i) => `${JSON.stringify(randomText(random) + i)}:${randomValue(random, depth)}`,
  );
  return `{${members.join()}}`;
}

function randomValue(random: () => number, depth: number): string {
  const kind = Math.floor(random() * (depth > 0 ? 8 : 6));
  if (kind === 6) return randomObject(random, depth - 1);
  if (kind === 7)
    return `[${Array.from({ length: Math.floor(random() * 3) }, () => randomValue(random, depth - 1)).join()}]`;
  if (kind === 0) return JSON.stringify(randomText(random));
  if (kind === 1) return String(Math.floor(random() * 1e6));
  if (kind === 2) return JSON.stringify((random() - 0.5) * 10 ** Math.floor(random() * 24 - 8));
  return ["true", "false", "null"][kind - 3] ?? "null";
}

function randomText(random: () => number): string {
  const letters = 'ab "\\/\n\t\u0007é值🙂\ud83d';
  return Array.from({ length: Math.floor(random() * 6) }, () =>
    letters.charAt(Math.floor(random() * letters.length)),
  ).join("");
}

/** A small linear congruential generator: it makes the same bodies in every run. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
