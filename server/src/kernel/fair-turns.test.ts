import assert from "node:assert/strict";
import { test } from "node:test";
import { FairTurns, type Turn } from "./fair-turns.ts";

const refusal = (running: number, max: number): Error => new Error(`${running} of ${max}`);
const of = (member: string, group = "org_1") => ({ group, member });

test("a member has at most half, so another one finds a place beside its flood", async () => {
  const turns = new FairTurns({ groupMax: 4, waitMs: 60_000, refusal });
  const order: string[] = [];
  const flood = Array.from({ length: 5 }, (_, n) =>
    turns.enter(of("flood")).then((turn) => {
      order.push(`flood ${n}`);
      return turn;
    }),
  );
  const other = await turns.enter(of("other"));
  assert.deepEqual([other.waitedMs < 50, order, turns.running, turns.waiting], [true, ["flood 0", "flood 1"], 3, 3]);
  const elsewhere = await turns.enter(of("flood", "org_2"));
  assert.equal(turns.running, 4, "another organization has its own places");
  const first = (await flood[0]) as Turn;
  first.release();
  first.release();
  await flood[2];
  assert.deepEqual([order.at(-1), turns.running], ["flood 2", 4]);
  for (const each of [other, elsewhere]) each.release();
  for (const each of flood) (await each).release();
  assert.deepEqual([order.length, turns.running, turns.waiting], [5, 0, 0]);
});

test("a free place goes to the member that runs the least, then to the one that waited the longest", async () => {
  const turns = new FairTurns({ groupMax: 2, waitMs: 60_000, refusal });
  const order: string[] = [];
  const enter = (member: string) =>
    turns.enter(of(member)).then((turn) => {
      order.push(member);
      return turn;
    });
  const [a, b] = [await enter("a"), await enter("b")];
  const waiting = ["a", "a", "c", "b"].map(enter);
  a.release();
  (await waiting[2])?.release();
  b.release();
  (await waiting[0])?.release();
  (await waiting[3])?.release();
  (await waiting[1])?.release();
  assert.deepEqual(order, ["a", "b", "c", "a", "b", "a"]);
});

test("a wait ends with the refusal or the signal's reason, and the place is not lost", async () => {
  const turns = new FairTurns({ groupMax: 2, waitMs: 5, refusal });
  const held = await turns.enter(of("a"));
  await assert.rejects(turns.enter(of("a")), /1 of 1/);
  const gone = new AbortController();
  const waiting = turns.enter(of("a"), gone.signal);
  gone.abort(new Error("gone"));
  await assert.rejects(waiting, /gone/);
  held.release();
  assert.deepEqual([turns.running, turns.waiting], [0, 0]);
  (await turns.enter(of("a"))).release();
});
