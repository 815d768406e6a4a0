import assert from "node:assert/strict";
import { test } from "node:test";
import { TELEMETRY_DEFAULTS } from "../settings.ts";
import { planMerges, type PlannedFile } from "./merge-plan.ts";

const settings = TELEMETRY_DEFAULTS.merge;
const MINUTE = 60_000;
const DAY = 86_400_000;
const MIB = 1024 * 1024;
const START = Date.UTC(2026, 0, 1);

function file(atMs: number, rows: number, change: Partial<PlannedFile> = {}): PlannedFile {
  return {
    rows,
    bytes: rows * 30,
    minUs: atMs * 1000,
    maxUs: (atMs + MINUTE) * 1000,
    createdAt: atMs + MINUTE,
    ...change,
  };
}

/** Follows the plan until it is empty. Returns the rows that were written. */
function settle(start: readonly PlannedFile[], nowMs: number): { files: PlannedFile[]; written: number } {
  let files = [...start];
  let written = 0;
  for (
    let merges = planMerges(files, nowMs, settings);
    merges.length > 0;
    merges = planMerges(files, nowMs, settings)
  ) {
    for (const { inputs } of merges) {
      const rows = inputs.reduce((sum, input) => sum + input.rows, 0);
      written += rows;
      files = files.filter((one) => !inputs.includes(one));
      files.push({
        rows,
        bytes: inputs.reduce((sum, input) => sum + input.bytes, 0),
        minUs: Math.min(...inputs.map(({ minUs }) => minUs)),
        maxUs: Math.max(...inputs.map(({ maxUs }) => maxUs)),
        createdAt: nowMs,
      });
    }
  }
  return { files, written };
}

/** Adds a small file every five minutes for `days`. Every `lateEvery`th file belongs to the day before. */
function simulate(days: number, lateEvery: number): { amplification: number; most: number; files: PlannedFile[] } {
  let files: PlannedFile[] = [];
  let [arrived, written, most] = [0, 0, 0];
  for (let n = 0; n < days * 288; n++) {
    const now = START + n * 5 * MINUTE;
    const rows = 200 + ((n * 7919) % 400);
    files.push(file(n % lateEvery === 0 ? now - DAY : now, rows, { createdAt: now }));
    arrived += rows;
    const settled = settle(files, now);
    files = settled.files;
    written += settled.written;
    const today = files.filter(({ maxUs }) => maxUs / 1000 > now - (now % DAY));
    most = Math.max(most, today.length);
  }
  const end = settle(files, START + days * DAY + settings.graceMs + settings.quietMs);
  return { amplification: (written + end.written) / arrived, most, files: end.files };
}

test("a small file every five minutes: a day has few files, and each row is rewritten only a few times", () => {
  const { amplification, most, files } = simulate(60, Infinity);
  assert.ok(files.length <= 62, `${files.length} files after 60 days`);
  assert.ok(most <= 3 * settings.fanIn, `${most} files of one day`);
  assert.ok(amplification < 4.5, `each row was written ${amplification} times more`);
});

test("late entries do not rewrite yesterday's file each time", () => {
  const { amplification, files } = simulate(60, 3);
  assert.ok(files.length <= 62, `${files.length} files`);
  assert.ok(amplification < 9, `each row was written ${amplification} times more`);
});

test("large files are left alone, and a merge has a limit of size and of files", () => {
  const large = Array.from({ length: 20 }, (_, i) => file(START + i * MINUTE, 1000, { bytes: settings.smallBytes }));
  assert.deepEqual(planMerges(large, START + 2 * DAY, settings), []);
  const medium = large.map((one) => ({ ...one, bytes: 50 * MIB }));
  assert.equal(planMerges(medium, START + 2 * DAY, settings)[0]?.inputs.length, 3);
  const many = Array.from({ length: 1000 }, (_, i) => file(START + i * 1000, 10));
  assert.equal(planMerges(many, START + 2 * DAY, settings)[0]?.inputs.length, settings.inputsMax);
});

test("a file of several days is merged only with files of the same kind", () => {
  const us = (text: string): number => Date.parse(text) * 1000;
  const span = (from: string, to: string): PlannedFile => ({ ...file(START, 100), minUs: us(from), maxUs: us(to) });
  const files = [
    span("2025-03-01", "2025-03-01T23:59:59Z"),
    span("2025-03-01", "2025-03-02"),
    span("2025-03-05", "2025-03-09"),
    span("2025-03-01", "2025-04-01"),
    span("2025-02-01", "2025-05-01"),
    span("2024-02-01", "2025-05-01"),
    span("1999-02-01", "2025-05-01"),
  ];
  const plan = planMerges(files, START + DAY, settings);
  assert.deepEqual(
    plan.map(({ period, inputs }) => [period, inputs.map((one) => files.indexOf(one))]),
    [
      ["2025-03", [1, 2]],
      ["2025", [3, 4]],
      ["", [5, 6]],
    ],
  );
});

test("a past day's large file waits for late files until a merge is worth it, or the day is quiet", () => {
  const large = file(START, 100_000);
  const late = [file(START, 900), file(START, 900)];
  const soon = START + DAY + settings.graceMs;
  const created = late.map((one) => ({ ...one, createdAt: soon }));
  assert.deepEqual(planMerges([large, ...created], soon, settings), [], "more may come");
  const settled = soon + settings.graceMs;
  assert.deepEqual(planMerges([large, ...created], settled, settings)[0]?.inputs, created);
  const merged = file(START, 1800, { createdAt: soon });
  assert.deepEqual(planMerges([large, merged], settled, settings), []);
  const quiet = soon + settings.quietMs;
  assert.equal(planMerges([large, merged], quiet, settings)[0]?.inputs.length, 2);
  assert.deepEqual(planMerges([large, file(START, 1000, { createdAt: soon })], quiet, settings), []);
});
