import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { Slots, type SlotLimits } from "./slots.ts";

const LIMITS: SlotLimits = { concurrentMax: 8, concurrentPerOrgMax: 4, queuePerOrgMax: 16, queueTimeoutMs: 5_000 };

/** Queries that hold their slots until the test ends them. Records the order of their starts. */
class Queries {
  readonly slots: Slots;
  readonly started: string[] = [];
  readonly #ends: { readonly orgId: string; readonly end: () => void }[] = [];

  constructor(change: Partial<SlotLimits> = {}) {
    this.slots = new Slots({ ...LIMITS, ...change });
  }

  async ask(orgId: string, count = 1, signal = new AbortController().signal): Promise<void> {
    for (let i = 0; i < count; i++) {
      void this.slots.acquire(orgId, signal).then(
        (end) => {
          this.started.push(orgId);
          this.#ends.push({ orgId, end });
        },
        () => undefined,
      );
    }
    await setImmediate();
  }

  /** Ends the oldest running query, of one organization if it is named. */
  async end(orgId?: string): Promise<void> {
    const at = this.#ends.findIndex((each) => orgId === undefined || each.orgId === orgId);
    const [ended] = this.#ends.splice(at, 1);
    ended?.end();
    await setImmediate();
  }
}

test("an organization without running queries never waits while the kept slot is free", async () => {
  const queries = new Queries();
  await queries.ask("heavy-1", 12);
  await queries.ask("heavy-2", 12);
  assert.equal(queries.slots.running, 7, "one slot is kept");
  for (let i = 0; i < 20; i++) {
    await queries.ask("light");
    assert.equal(queries.started.at(-1), "light", "it starts at once");
    await queries.end("light");
    assert.equal(queries.slots.running, 7);
  }
});

test("a query of an idle organization starts before all later ones of busy organizations", async () => {
  const queries = new Queries();
  await queries.ask("heavy-1", 12);
  await queries.ask("heavy-2", 12);
  await queries.ask("other");
  assert.equal(queries.slots.running, 8, "the kept slot is in use");
  await queries.ask("light");
  const before = queries.started.length;
  await queries.ask("heavy-1", 4);
  await queries.end("heavy-1");
  assert.deepEqual(queries.started.slice(before), ["light"]);
});

test("a free slot goes to the organization with the fewest queries; equal ones take turns; the oldest query runs first", async () => {
  const queries = new Queries({ concurrentMax: 4, concurrentPerOrgMax: 3 });
  await queries.ask("a", 8);
  await queries.ask("b", 8);
  assert.deepEqual(queries.started, ["a", "a", "a", "b"]);
  for (let i = 0; i < 6; i++) await queries.end();
  const later = queries.started.slice(4);
  assert.ok(
    Math.abs(later.filter((org) => org === "a").length - later.filter((org) => org === "b").length) <= 1,
    later.join(),
  );
});

test("one slot serves organizations in turns, and two slots serve two organizations", async () => {
  const one = new Queries({ concurrentMax: 1 });
  await one.ask("a", 3);
  await one.ask("b", 3);
  for (let i = 0; i < 5; i++) await one.end();
  assert.deepEqual(one.started, ["a", "b", "a", "b", "a", "b"]);
  const two = new Queries({ concurrentMax: 2 });
  await two.ask("a", 3);
  assert.deepEqual(two.started, ["a"]);
  await two.ask("b");
  assert.deepEqual(two.started, ["a", "b"]);
});

test("a query that is cancelled, waits too long or exceeds the limit is refused, and leaves nothing behind", async () => {
  const queries = new Queries({ concurrentMax: 1, queuePerOrgMax: 1, queueTimeoutMs: 50 });
  await queries.ask("a");
  const controller = new AbortController();
  const given = assert.rejects(queries.slots.acquire("a", controller.signal), /gone/);
  await assert.rejects(queries.slots.acquire("a", new AbortController().signal), /too many queries/);
  controller.abort(new Error("gone"));
  await given;
  await assert.rejects(queries.slots.acquire("b", new AbortController().signal), /too many queries/);
  await queries.end();
  assert.equal(queries.slots.running, 0);
  await queries.ask("b");
  assert.deepEqual(queries.started, ["a", "b"]);
});
