import assert from "node:assert/strict";
import { test } from "node:test";
import {
  fingerprintOf,
  nextToSend,
  percentOf,
  remainingMs,
  summaryOf,
  type UploadState,
  type UploadView,
} from "./upload-queue.ts";

const view: UploadView = {
  id: 1,
  name: "a",
  sizeBytes: 1000,
  sentBytes: 250,
  state: "sending",
  error: null,
  fileId: null,
  bytesPerSecond: 500,
};

test("three uploads run at a time, oldest first", () => {
  const of = (...states: UploadState[]) => nextToSend(states.map((state, id) => ({ id, state })));
  assert.deepEqual(of("waiting", "waiting", "waiting", "waiting"), [0, 1, 2]);
  assert.deepEqual(of("sending", "paused", "waiting", "sending", "waiting"), [2]);
  assert.deepEqual(of("sending", "sending", "sending", "waiting"), []);
  assert.deepEqual(of("done", "failed"), []);
});

test("figures of one upload and of all", () => {
  assert.equal(percentOf(view), 25);
  assert.equal(percentOf({ ...view, sizeBytes: 0, sentBytes: 0, state: "done" }), 100);
  assert.equal(remainingMs(view), 1500);
  assert.equal(remainingMs({ ...view, state: "paused" }), null);
  assert.equal(summaryOf([view, { ...view, state: "done" }, { ...view, state: "done" }]), "1 sending, 2 done");
});

test("another name, time or person makes another upload", () => {
  const file = { name: "a-1", type: "", size: 5, lastModified: 1 };
  const first = fingerprintOf("p", file);
  assert.equal(first, fingerprintOf("p", { ...file }));
  for (const other of [
    { ...file, name: "a" },
    { ...file, lastModified: 2 },
  ])
    assert.notEqual(first, fingerprintOf("p", other));
  assert.notEqual(first, fingerprintOf("q", file));
});
