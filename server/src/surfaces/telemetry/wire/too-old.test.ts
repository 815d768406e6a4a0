import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "#kernel/problem.ts";
import { encodeBody, type EncodeBodyOptions } from "./encode.ts";
import { encodeEntries } from "./entries.ts";
import { encodeLines } from "./lines.ts";
import { scanEntries } from "./scan.ts";

const NOT_BEFORE = "2026-10-21T08:00:00.500000Z";
const STRICT: EncodeBodyOptions = { projectId: null, lenient: false, notBefore: NOT_BEFORE };
const LENIENT: EncodeBodyOptions = { ...STRICT, lenient: true };
const DETAIL = `is past the retention: entries before ${NOT_BEFORE} are not kept`;

const entry = (timestamp: string): object => ({ timestamp, level: "info", message: timestamp });
const bodyOf = (...times: string[]): Buffer => Buffer.from(JSON.stringify({ entries: times.map(entry) }));

/** Whether each of the two paths accepts a time. */
const TIMES: readonly [string, boolean][] = [
  ["2026-10-21T08:00:00.5Z", true],
  ["2026-10-21T08:00:00.500000Z", true],
  ["2026-10-21T08:00:00.500000+00:00", true],
  ["2026-10-21T08:00:00.499999999Z", false],
  ["2026-10-21T08:00:00Z", false],
  ["2026-10-21T07:59:59.999999Z", false],
  ["2026-10-21T08:00:01Z", true],
  ["2027-01-01T00:00:00Z", true],
  ["0001-01-01T00:00:00Z", false],
  ["9999-12-31T23:59:59Z", true],
];

test("an entry past the retention is refused by its pointer, to the microsecond, in both forms of a body", () => {
  for (const [time, taken] of TIMES) {
    const line = Buffer.from(`${JSON.stringify(entry(time))}\n`);
    for (const encode of [() => encodeEntries("logs", bodyOf(time), STRICT), () => encodeLines("logs", line, STRICT)]) {
      if (taken) assert.equal(encode().count, 1, time);
      else
        assert.throws(encode, (error: unknown) => {
          assert.ok(error instanceof Problem && error.code === "invalid_body");
          const [place] = error.options.errors ?? [];
          assert.equal(place?.pointer, "/entries/0/timestamp");
          return place.detail.startsWith(DETAIL);
        });
    }
  }
});

test("lenient accepts the others; without a retention any time is accepted", () => {
  const body = bodyOf(...TIMES.map(([time]) => time));
  const encoded = encodeEntries("logs", body, LENIENT);
  assert.deepEqual([encoded.count, encoded.rejected], [6, 4]);
  assert.equal(encodeEntries("logs", body, { projectId: null, lenient: false }).count, TIMES.length);
});

test("the fast path accepts recent entries, and leaves the second of the limit to the slow path", () => {
  const options = { projectId: null, notBefore: NOT_BEFORE };
  assert.equal(scanEntries("logs", bodyOf("2026-10-21T08:00:01Z"), options)?.count, 1);
  assert.equal(scanEntries("logs", bodyOf("2026-10-21T08:00:00.9Z"), options), null);
  assert.equal(scanEntries("logs", bodyOf("2026-10-20T08:00:00Z"), options), null);
});

test("OTLP leaves such records out and counts them as rejected", () => {
  const nanos = (iso: string): string => `${Date.parse(iso)}000000`;
  const logRecords = ["2026-10-21T08:00:00.4Z", "2026-10-21T08:00:00.6Z"].map((iso) => ({ timeUnixNano: nanos(iso) }));
  const body = Buffer.from(JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] }));
  const otlp = { format: "json", receivedMs: 0 } as const;
  const { count, rejected, errors } = encodeBody("logs", body, { ...LENIENT, otlp });
  assert.deepEqual([count, rejected, errors], [1, 1, [{ pointer: "/entries/0/timestamp", detail: DETAIL }]]);
});
