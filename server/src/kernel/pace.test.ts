import assert from "node:assert/strict";
import { test } from "node:test";
import { Pace } from "./pace.ts";

const MIB = 1024 * 1024;

function paceAt(bytesPerSecond: number): { pace: Pace; forward: (ms: number) => void } {
  let nowMs = 5_000;
  const pace = new Pace({ bytesPerSecond, nowMs: () => nowMs });
  return { pace, forward: (ms) => (nowMs += ms) };
}

function others(pace: Pace, count: number): void {
  for (let i = 0; i < count; i++) pace.noteOther();
}

test("a body does not wait when there are few other requests or none", () => {
  const { pace } = paceAt(100 * MIB);
  assert.equal(pace.waitMs(MIB), 0);
  others(pace, 9);
  assert.equal(pace.waitMs(MIB), 0);
});

test("with many other requests, all bodies together get the set speed", () => {
  const { pace, forward } = paceAt(100 * MIB);
  others(pace, 10);
  assert.equal(pace.waitMs(MIB), 10);
  assert.equal(pace.waitMs(MIB), 20, "a second body waits after the first");
  forward(20);
  assert.equal(pace.waitMs(MIB), 10);
  forward(500);
  assert.equal(pace.waitMs(MIB), 10, "unused time is not saved up");
});

test("a body gets full speed two seconds after the last other request", () => {
  const { pace, forward } = paceAt(100 * MIB);
  others(pace, 10);
  forward(1_999);
  assert.ok(pace.waitMs(MIB) > 0);
  forward(1);
  assert.equal(pace.waitMs(MIB), 0);
});

test("ten requests in two seconds do not slow a body down", () => {
  const { pace, forward } = paceAt(100 * MIB);
  for (let i = 0; i < 20; i++) {
    others(pace, 1);
    forward(200);
  }
  assert.equal(pace.waitMs(MIB), 0);
});

test("zero sets no limit", () => {
  const { pace } = paceAt(0);
  others(pace, 100);
  assert.equal(pace.waitMs(MIB), 0);
});
