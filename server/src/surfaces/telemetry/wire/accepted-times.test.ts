import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "#kernel/problem.ts";
import { encodeBody, type EncodeBodyOptions } from "./encode.ts";
import { encodeEntries } from "./entries.ts";
import { encodeLines } from "./lines.ts";
import { scanEntries } from "./scan.ts";

const NOT_BEFORE = "2026-10-21T08:00:00.500000Z";
const NOT_AFTER = "2026-11-27T09:00:00.000000Z";
const TIMES_ACCEPTED = { notBefore: NOT_BEFORE, notAfter: NOT_AFTER };
const STRICT: EncodeBodyOptions = { projectId: null, lenient: false, times: TIMES_ACCEPTED };
const LENIENT: EncodeBodyOptions = { ...STRICT, lenient: true };
const TOO_OLD = `is too old: entries before ${NOT_BEFORE} are not kept`;
const IN_FUTURE = `is in the future: entries after ${NOT_AFTER} are not accepted; check the clock of the sender`;

const entry = (timestamp: string): object => ({ timestamp, level: "info", message: timestamp });
const bodyOf = (...times: string[]): Buffer => Buffer.from(JSON.stringify({ entries: times.map(entry) }));

/** The reason why both paths refuse a time; null: they accept it. */
const TIMES: readonly [string, string | null][] = [
  ["2026-10-21T08:00:00.5Z", null],
  ["2026-10-21T08:00:00.500000Z", null],
  ["2026-10-21T08:00:00.500000+00:00", null],
  ["2026-10-21T08:00:00.499999999Z", TOO_OLD],
  ["2026-10-21T08:00:00Z", TOO_OLD],
  ["2026-10-21T07:59:59.999999Z", TOO_OLD],
  ["2026-10-21T08:00:01Z", null],
  ["0001-01-01T00:00:00Z", TOO_OLD],
  ["2026-11-27T08:59:59Z", null],
  ["2026-11-27T09:00:00Z", null],
  ["2026-11-27T11:00:00+02:00", null],
  ["2026-11-27T09:00:00.000001Z", IN_FUTURE],
  ["2026-11-27T09:00:01Z", IN_FUTURE],
  ["9999-12-31T23:59:59Z", IN_FUTURE],
];

test("an entry outside the accepted times is refused by its pointer, to the microsecond, in both forms of a body", () => {
  for (const [time, reason] of TIMES) {
    const line = Buffer.from(`${JSON.stringify(entry(time))}\n`);
    for (const encode of [() => encodeEntries("logs", bodyOf(time), STRICT), () => encodeLines("logs", line, STRICT)]) {
      if (reason === null) assert.equal(encode().count, 1, time);
      else
        assert.throws(encode, (error: unknown) => {
          assert.ok(error instanceof Problem && error.code === "invalid_body");
          const [place] = error.options.errors ?? [];
          assert.equal(place?.pointer, "/entries/0/timestamp");
          return place.detail.startsWith(reason);
        });
    }
  }
});

test("lenient accepts the others; while the clock is in doubt any time is accepted", () => {
  const body = bodyOf(...TIMES.map(([time]) => time));
  const encoded = encodeEntries("logs", body, LENIENT);
  assert.deepEqual([encoded.count, encoded.rejected], [7, 7]);
  assert.equal(encodeEntries("logs", body, { projectId: null, lenient: false }).count, TIMES.length);
});

test("the fast path leaves times at both limits and beyond to the slow path", () => {
  const options = { projectId: null, times: TIMES_ACCEPTED };
  assert.equal(scanEntries("logs", bodyOf("2026-10-21T08:00:01Z"), options)?.count, 1);
  assert.equal(scanEntries("logs", bodyOf("2026-10-21T08:00:00.9Z"), options), null);
  assert.equal(scanEntries("logs", bodyOf("2026-10-20T08:00:00Z"), options), null);
  assert.equal(scanEntries("logs", bodyOf("2026-11-27T08:59:59.999Z"), options)?.count, 1);
  assert.equal(scanEntries("logs", bodyOf("2026-11-27T09:00:00Z"), options), null);
  assert.equal(scanEntries("logs", bodyOf("2027-01-01T00:00:00Z"), options), null);
});

test("OTLP leaves such records out and counts them as rejected", () => {
  const nanos = (iso: string): string => `${Date.parse(iso)}000000`;
  const logRecords = ["2026-10-21T08:00:00.4Z", "2026-10-21T08:00:00.6Z"].map((iso) => ({ timeUnixNano: nanos(iso) }));
  const body = Buffer.from(JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] }));
  const otlp = { format: "json", receivedMs: 0 } as const;
  const { count, rejected, errors } = encodeBody("logs", body, { ...LENIENT, otlp });
  assert.deepEqual([count, rejected, errors], [1, 1, [{ pointer: "/entries/0/timestamp", detail: TOO_OLD }]]);
});
