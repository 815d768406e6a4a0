import assert from "node:assert/strict";
import { test } from "node:test";
import { RowQueue } from "./queue.ts";

test("rows stay in order and in the queue until they are stored", () => {
  const queue = new RowQueue(100);
  queue.add("traces", "t1\n");
  queue.add("logs", "l1\n");
  queue.add("logs", "l2\n");
  const first = queue.next();
  queue.add("logs", "l3\n");
  assert.deepEqual([first?.type, first?.text, first?.count], ["logs", "l1\nl2\n", 2]);
  assert.equal(queue.next()?.text, "l1\nl2\nl3\n");
  first?.kept();
  assert.equal(queue.next()?.text, "l3\n");
  queue.next()?.kept();
  assert.equal(queue.next()?.type, "traces");
});

test("rows that do not fit are dropped and counted, and stored rows free space", () => {
  const queue = new RowQueue(6);
  for (const row of ["a\n", "b\n", "c\n", "d\n"]) queue.add("metrics", row);
  assert.equal(queue.dropped, 1);
  queue.next()?.kept();
  queue.add("metrics", "e\n");
  assert.equal(queue.next()?.text, "e\n");
});
