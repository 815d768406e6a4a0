import assert from "node:assert/strict";
import { setImmediate as nextTurn } from "node:timers/promises";
import { test } from "node:test";
import { Reservations, type Quota } from "./reservations.ts";

class Full extends Error {}

/** A limit whose `used` bytes are counted. Each read of it takes a turn of the event loop. */
function limited(limit: number): Quota & { used: number } {
  const quota = {
    used: 0,
    left: async () => {
      await nextTurn();
      return limit - quota.used;
    },
    refusal: (left: number) => new Full(String(left)),
  };
  return quota;
}

test("reservations together never exceed the free bytes, and free their bytes once", async () => {
  const [reservations, quota] = [new Reservations(), limited(10)];
  const asked = await Promise.allSettled(Array.from({ length: 50 }, () => reservations.reserve("a", quota, 1)));
  const got = asked.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  assert.equal(got.length, 10);
  await assert.rejects(reservations.reserve("a", quota, 1), { message: "0" });
  await reservations.reserve("b", limited(10), 10);
  got[0]?.release();
  got[0]?.release();
  assert.equal(reservations.reservedBy("a"), 9);
  await reservations.reserve("a", quota, 1);
  await assert.rejects(reservations.reserve("a", quota, 1), Full);
});

test("a reservation grows in steps with the received bytes, and can use the last byte of the quota", async () => {
  const [reservations, quota] = [new Reservations(), limited(2 * 1024 * 1024 + 7)];
  const body = await reservations.reserve("a", quota, 0);
  const chunk = new Uint8Array(700_001);
  const taken: number[] = [];
  await assert.rejects(async () => {
    for await (const { length } of body.admit(iterated(chunk, 4))) taken.push(length, reservations.reservedBy("a"));
  }, Full);
  assert.deepEqual(taken, [700_001, 1_048_576, 700_001, 2_097_152]);
  body.release();
  assert.equal(reservations.reservedBy("a"), 0);
  const exact = await reservations.reserve("a", quota, 0);
  for await (const piece of exact.admit(iterated(new Uint8Array(2 * 1024 * 1024 + 7), 1))) assert.ok(piece.length > 0);
});

async function* iterated(chunk: Uint8Array, times: number): AsyncGenerator<Uint8Array, void, undefined> {
  for (let i = 0; i < times; i++) yield chunk;
}

test("bytes that are being settled count once", async () => {
  const [reservations, quota] = [new Reservations(), limited(10)];
  const first = await reservations.reserve("a", quota, 6);
  let finish: () => void = () => undefined;
  const counting = first.settle(async () => {
    quota.used += 6;
    await new Promise<void>((resolve) => (finish = resolve));
  });
  const second = reservations.reserve("a", quota, 4);
  for (let turn = 0; turn < 20; turn++) await nextTurn();
  finish();
  await counting;
  await second;
  assert.equal(reservations.reservedBy("a"), 4);
});

test("a failed count, or a release during growth, frees the reservation", async () => {
  const [reservations, quota] = [new Reservations(), limited(10)];
  const failing = await reservations.reserve("a", quota, 10);
  await assert.rejects(
    failing.settle(() => Promise.reject(new Error("not counted"))),
    /not counted/,
  );
  const gone = await reservations.reserve("a", quota, 1);
  const more = gone.need(5);
  gone.release();
  await assert.rejects(more, Full);
  assert.equal(reservations.reservedBy("a"), 0);
});

test("without a limit, no usage is read", async () => {
  let looks = 0;
  const left = async (): Promise<number> => {
    looks += 1;
    return Number.POSITIVE_INFINITY;
  };
  const body = await new Reservations().reserve("a", { left, refusal: () => new Full() }, 5);
  await body.need(10 ** 12);
  assert.equal(looks, 1);
});
