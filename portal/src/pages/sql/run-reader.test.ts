import assert from "node:assert/strict";
import { test } from "node:test";
import type { QueryEvent } from "../../api/stream.ts";
import { RunReader } from "./run-reader.ts";

const END = {
  row_count: 2,
  truncated: false,
  statistics: { elapsed_ms: 1, rows_scanned: 2, bytes_scanned: 3, files_scanned: 1, files_total: 1 },
};

async function* two(): AsyncGenerator<QueryEvent, void> {
  yield { kind: "columns", columns: [{ name: "a", type: "BIGINT" }] };
  yield { kind: "rows", rows: [{ a: 1 }] };
  yield { kind: "rows", rows: [{ a: 2 }] };
  yield { kind: "end", end: END };
}

async function* endless(signal: AbortSignal): AsyncGenerator<QueryEvent, void> {
  yield { kind: "rows", rows: [{ a: 9 }] };
  signal.throwIfAborted();
  await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
}

test("a run ends with its rows and figures", async () => {
  const reader = new RunReader();
  const state = await reader.run("SELECT 1", two);
  assert.equal(state.status, "done");
  assert.deepEqual(state.rows, [{ a: 1 }, { a: 2 }]);
  assert.equal(state.end?.statistics.bytes_scanned, 3);
  assert.equal(reader.snapshot(), state);
});

test("a cancelled run keeps its rows, and is not an error", async () => {
  const reader = new RunReader();
  const running = reader.run("SELECT 1", endless);
  setTimeout(() => reader.cancel(), 5);
  const state = await running;
  assert.deepEqual([state.status, state.rows.length, state.error], ["cancelled", 1, null]);
});

test("a new run ends the previous one, whose rows disappear", async () => {
  const reader = new RunReader();
  const first = reader.run("first", endless);
  const second = reader.run("second", two);
  assert.equal((await first).status, "cancelled");
  await second;
  assert.deepEqual([reader.snapshot().sql, reader.snapshot().status], ["second", "done"]);
});

test("an error is reported", async () => {
  const state = await new RunReader().run("x", async function* () {
    yield { kind: "columns", columns: [] };
    throw new Error("no");
  });
  assert.deepEqual([state.status, state.error?.message], ["failed", "no"]);
});
