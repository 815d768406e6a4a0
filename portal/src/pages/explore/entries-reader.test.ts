import assert from "node:assert/strict";
import { test } from "node:test";
import type { QueryEvent } from "../../api/stream.ts";
import { EntriesReader } from "./entries-reader.ts";
import type { LogEntry } from "./entry.ts";

const BOUNDS = { from: "2026-11-20T00:00:00.000Z", to: "2026-11-21T00:00:00.000Z" };

function entry(timestamp: string, message: string): LogEntry {
  return {
    timestamp,
    level: "info",
    severity: 9,
    message,
    service: null,
    trace_id: null,
    span_id: null,
    attributes: null,
    project_id: null,
  };
}

const micros = (moment: string): number =>
  Date.parse(moment) * 1000 + Number((/\.\d{3}(\d{3})Z$/.exec(moment) ?? [])[1] ?? 0);

/** Answers like the server, in chunks of seven rows. */
function server(all: readonly LogEntry[]) {
  const asked: { from: string; to: string; limit: number }[] = [];
  async function* ask({ from, to }: { from: string; to: string }, limit: number): AsyncGenerator<QueryEvent, void> {
    asked.push({ from, to, limit });
    const rows = all.filter(({ timestamp: t }) => micros(t) >= micros(from) && micros(t) < micros(to)).slice(0, limit);
    for (let at = 0; at < rows.length; at += 7)
      yield { kind: "rows", rows: rows.slice(at, at + 7) as unknown as Record<string, unknown>[] };
    const statistics = { elapsed_ms: 1, rows_scanned: 1, bytes_scanned: 5, files_scanned: 1, files_total: 1 };
    yield { kind: "end", end: { row_count: rows.length, truncated: false, statistics } };
  }
  return { ask, asked };
}

async function readAll(all: readonly LogEntry[]) {
  const { ask, asked } = server(all);
  const reader = new EntriesReader(ask, BOUNDS);
  for (let pages = 0; pages < 100 && !reader.snapshot().isWhole; pages++) {
    await reader.more();
    assert.equal(reader.snapshot().error, null);
  }
  return { entries: reader.snapshot().entries, asked };
}

test("every entry appears once and in order, though many have the same time", async () => {
  const all = Array.from({ length: 5000 }, (_, i) => {
    const micro = 86_000_000_000 - Math.floor(i / 13) * 17_000_003;
    const ms = Date.parse(BOUNDS.from) + Math.floor(micro / 1000);
    return entry(new Date(ms).toISOString().replace("Z", `${String(micro % 1000).padStart(3, "0")}Z`), String(i));
  });
  const { entries, asked } = await readAll(all);
  assert.deepEqual(
    entries.map(({ message }) => message),
    all.map(({ message }) => message),
  );
  assert.ok(asked.length < 20, `${asked.length} statements`);
});

test("a time with more entries than a page is read at once", async () => {
  const all = Array.from({ length: 2500 }, (_, i) => entry("2026-11-20T23:59:00.000001Z", String(i)));
  const { entries } = await readAll([...all, entry("2026-11-20T00:00:00.000Z", "first")]);
  assert.equal(entries.length, 2501);
});

test("an empty range is found with few statements", async () => {
  const { entries, asked } = await readAll([]);
  assert.deepEqual([entries.length, asked.length <= 4], [0, true]);
});

test("a failed read can be retried; a stopped one is not an error", async () => {
  let failing = true;
  const { ask } = server([entry("2026-11-20T01:00:00.000Z", "a")]);
  const reader = new EntriesReader(async function* (bounds, limit) {
    if (failing) throw new Error("no");
    yield* ask(bounds, limit);
  }, BOUNDS);
  await reader.more();
  assert.equal(reader.snapshot().error?.message, "no");
  failing = false;
  await reader.more();
  assert.deepEqual([reader.snapshot().entries.length, reader.snapshot().error], [1, null]);
  reader.stop();
  await reader.more();
  assert.equal(reader.snapshot().isLoading, false);
});

test("a read that broke off in the middle continues there", async () => {
  const all = Array.from({ length: 200 }, (_, i) =>
    entry(new Date(Date.parse(BOUNDS.to) - 1000 - Math.floor(i / 3)).toISOString(), String(i)),
  );
  const { ask } = server(all);
  let pieces = 0;
  const reader = new EntriesReader(async function* (bounds, limit) {
    for await (const event of ask(bounds, limit)) {
      if (++pieces === 9) throw new Error("broke off");
      yield event;
    }
  }, BOUNDS);
  await reader.more();
  assert.equal(reader.snapshot().error?.message, "broke off");
  assert.ok(reader.snapshot().entries.length > 40);
  for (let page = 0; page < 9 && !reader.snapshot().isWhole; page++) await reader.more();
  assert.deepEqual(
    reader.snapshot().entries.map(({ message }) => message),
    all.map(({ message }) => message),
  );
});

test("a person who returns continues where they were", async () => {
  const { ask } = server([entry("2026-11-20T01:00:00.000Z", "a")]);
  const reader = new EntriesReader(ask, BOUNDS);
  reader.release();
  await reader.more();
  assert.equal(reader.snapshot().entries.length, 1);
});
