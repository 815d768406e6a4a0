import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ATTRIBUTES_DEPTH_MAX,
  INGEST_BODY_BYTES_MAX,
  INGEST_ENTRIES_MAX,
  INGEST_ENTRY_BYTES_MAX,
} from "#kernel/limits.ts";
import { Problem, type ProblemPlace } from "#kernel/problem.ts";
import type { TelemetryType } from "#stores/telemetry/index.ts";
import { encodeEntries } from "./entries.ts";
import type { EncodedEntries } from "./entry.ts";
import { encodeLines, parseLines } from "./lines.ts";
import { scanLines } from "./scan.ts";
import { normalTimestamp } from "./timestamp.ts";

const LOG = '{"timestamp":"2026-11-20T08:00:00Z","level":"info","message":"m"}';
const STRICT = { projectId: "proj_1", lenient: false };
const LENIENT = { projectId: "proj_1", lenient: true };

type Encode = typeof encodeLines;

/** Returns the rows of a body as values, or the places that refuse it. */
function outcomeOf(encode: Encode, type: TelemetryType, body: Buffer, options = STRICT): unknown {
  try {
    const { rows, count, rejected, errors } = encode(type, body, options);
    return { rows: valuesOf(rows), count, rejected, errors: errors.map(withoutLine) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { code: error.code, errors: error.options.errors?.map(withoutLine) };
  }
}

/** Syntax errors of JSON have other places in the two forms. */
function withoutLine({ pointer, detail }: ProblemPlace): ProblemPlace {
  return { pointer, detail: detail.replace(/ \(line \d+\)$/, "") };
}

function valuesOf(rows: Buffer): unknown[] {
  const lines = rows.toString().split("\n");
  assert.equal(lines.pop(), "", "rows end with a newline");
  return lines.map((line) => {
    const row = JSON.parse(line) as Record<string, unknown>;
    return { ...row, timestamp: normalTimestamp(String(row["timestamp"])) };
  });
}

function problemOf(body: string | Buffer): Problem {
  try {
    encodeLines("logs", Buffer.from(body), STRICT);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  return assert.fail("it was taken");
}

const lenient = (body: string | Buffer): EncodedEntries => encodeLines("logs", Buffer.from(body), LENIENT);

const ENTRIES: readonly string[] = [
  LOG,
  LOG.replace("00Z", "00.123456789Z"),
  LOG.replace("}", ',"attributes":{"a":12345678901234567890,"b":[1.50,{"c":null}],"é":"\\ud83d\\ude42"}}'),
  LOG.replace("}", ',"attributes":{"a":"\\ud800"}}'),
  LOG.replace("}", ',"attributes":{"a":1e400}}'),
  LOG.replace("}", `,"attributes":${'{"a":'.repeat(ATTRIBUTES_DEPTH_MAX)}1${"}".repeat(ATTRIBUTES_DEPTH_MAX)}}`),
  LOG.replace("}", `,"attributes":${'{"a":'.repeat(40)}1${"}".repeat(40)}}`),
  LOG.replace('"info"', "7"),
  LOG.replace('"level":"info",', ""),
  LOG.replace("}", ',"x":1}'),
  LOG.replace('"m"', `"${"x".repeat(INGEST_ENTRY_BYTES_MAX)}"`),
  LOG.replace('"m"', '"a","message":"b"'),
  LOG.replaceAll(",", " ,\t"),
  "{}",
  "[]",
  "5",
  '"text"',
  "null",
];

test("lines give the same rows and errors as the same entries in an object", () => {
  const bodies = [...ENTRIES.map((entry) => [entry]), ENTRIES, ENTRIES.slice(0, 4), []];
  for (const entries of bodies) {
    const json = Buffer.from(`{"entries":[${entries.join(",")}]}`);
    for (const options of [STRICT, LENIENT]) {
      const expected = outcomeOf(encodeEntries, "logs", json, options);
      for (const end of ["\n", "\r\n", "\n\n \t\r\n", " \n"]) {
        const body = Buffer.from(entries.map((entry) => entry + end).join(""));
        assert.deepEqual(outcomeOf(encodeLines, "logs", body, options), expected);
        assert.deepEqual(outcomeOf(parseLines, "logs", body, options), expected);
      }
    }
  }
});

test("metrics and spans are accepted as lines, too", () => {
  const metric = '{"timestamp":"2026-11-20T08:00:00Z","name":"n","value":1.5,"tags":{"a":"b"}}';
  const span =
    '{"timestamp":"2026-11-20T08:00:00Z","trace_id":"t","span_id":"s","name":"n","duration_ms":1,"status":"ok"}';
  for (const [type, line] of [
    ["metrics", metric],
    ["traces", span],
  ] as const) {
    const json = Buffer.from(`{"entries":[${line},${line}]}`);
    assert.deepEqual(
      outcomeOf(encodeLines, type, Buffer.from(`${line}\n${line}`)),
      outcomeOf(encodeEntries, type, json),
    );
  }
});

test("the fast path accepts the usual forms: blank lines, CRLF, a byte order mark, no newline at the end", () => {
  for (const [body, count] of [
    ["", 0],
    ["\n\r\n  \n", 0],
    [LOG, 1],
    [`${LOG}\n`, 1],
    [`\ufeff${LOG}\r\n\r\n${LOG}\r\n`, 2],
    [`  ${LOG}\t\n\n${LOG}  `, 2],
  ] as const) {
    assert.equal(
      scanLines("logs", Buffer.from(body), { projectId: null })?.count,
      count,
      JSON.stringify(body.slice(0, 20)),
    );
  }
});

test("two entries in one line, and one in two, are refused", () => {
  for (const body of [
    `${LOG} ${LOG}`,
    `${LOG},${LOG}`,
    `${LOG}\r${LOG}`,
    LOG.replace(",", ",\n"),
    `${LOG}\n\ufeff${LOG}`,
  ]) {
    assert.equal(scanLines("logs", Buffer.from(body), { projectId: null }), null);
    assert.equal(problemOf(body).code, "invalid_body");
  }
});

test("an error has the entry, and its line", () => {
  const body = `${LOG}\n\n\r\n${LOG.replace('"info"', "7")}\n{"broken\n${LOG}`;
  assert.deepEqual(problemOf(body).options.errors, [
    { pointer: "/entries/1/level", detail: "must be a string (line 4)" },
    { pointer: "/entries/2", detail: "is not valid JSON (at character 8) (line 5)" },
  ]);
  const { count, rejected, errors } = lenient(body);
  assert.deepEqual([count, rejected, errors.map(({ pointer }) => pointer)], [2, 2, ["/entries/1/level", "/entries/2"]]);
});

test("a line that is not UTF-8 affects no other line", () => {
  const body = Buffer.concat([Buffer.from(`${LOG}\n`), Buffer.from([0x22, 0xff, 0x22, 0x0a]), Buffer.from(LOG)]);
  assert.throws(() => encodeLines("logs", body, STRICT), /1 of 3/);
  const { count, errors } = encodeLines("logs", body, LENIENT);
  assert.deepEqual([count, errors], [2, [{ pointer: "/entries/1", detail: "is not valid UTF-8 (line 2)" }]]);
});

test("1000 entries are accepted, and 1001 are refused before any other error", () => {
  const lines = (count: number, line: string): string => `${line}\n\n`.repeat(count);
  assert.equal(lenient(lines(INGEST_ENTRIES_MAX, LOG)).count, INGEST_ENTRIES_MAX);
  for (const line of [LOG, "x"]) {
    assert.throws(() => lenient(lines(INGEST_ENTRIES_MAX + 1, line)), /more than 1000/);
  }
});

test("a body over 10 MiB is refused before it is read", () => {
  assert.equal(problemOf(Buffer.alloc(INGEST_BODY_BYTES_MAX + 1, 0x20)).code, "body_too_large");
});

test("lines of brackets cost little, and are refused", () => {
  const deep = Buffer.from(`${"[".repeat(INGEST_ENTRY_BYTES_MAX - 1)}\n`.repeat(39));
  const started = performance.now();
  const { count, rejected } = encodeLines("logs", deep, LENIENT);
  assert.deepEqual([count, rejected], [0, 39]);
  assert.ok(performance.now() - started < 40_000);
});

test("the fast path agrees with the parser on every prefix and every changed byte", () => {
  const body = Buffer.from(`${LOG.replace("}", ',"attributes":{"a":[1,-2.5,"\\né"],"c":null}}')}\r\n\n${LOG}\n`);
  const agrees = (bytes: Buffer): void => {
    const quick = scanLines("logs", bytes, { projectId: "proj_1" });
    if (quick === null) return;
    const expected = outcomeOf(parseLines, "logs", bytes);
    assert.deepEqual({ rows: valuesOf(quick.rows), count: quick.count, rejected: 0, errors: [] }, expected);
  };
  for (let end = 0; end <= body.length; end++) agrees(body.subarray(0, end));
  for (let at = 0; at < body.length; at++) {
    for (const byte of Buffer.from('"\\{}[],: 0e-.Zu\n\r\u0001é')) {
      const changed = Buffer.from(body);
      changed[at] = byte;
      agrees(changed);
    }
  }
});
