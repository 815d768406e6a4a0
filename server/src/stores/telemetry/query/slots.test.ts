import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { Problem } from "#kernel/problem.ts";
import type { SlotLimits, SlotRequest } from "./organization-slots.ts";
import { Slots, type Slot } from "./slots.ts";

const LIMITS: SlotLimits = {
  concurrentMax: 8,
  concurrentPerOrgMax: 4,
  concurrentPerActorMax: null,
  queuePerOrgMax: 32,
  queuePerActorMax: 8,
  queueTimeoutMs: 5000,
};

interface Ask {
  readonly orgId?: string;
  readonly count?: number;
  readonly isBackground?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Queries that hold their slots until the test ends them. Records the order of their starts. */
class Queries {
  readonly slots: Slots;
  readonly started: string[] = [];
  readonly refused: unknown[] = [];
  nowMs = 0;
  readonly #running: { readonly orgId: string; readonly actorId: string; readonly slot: Slot }[] = [];

  constructor(change: Partial<SlotLimits> = {}) {
    this.slots = new Slots({ ...LIMITS, ...change }, () => this.nowMs);
  }

  async ask(actorId: string, { orgId = "org", count = 1, isBackground = false, signal }: Ask = {}): Promise<void> {
    for (let i = 0; i < count; i++) {
      void this.slots.acquire(request(actorId, { orgId, isBackground, signal })).then(
        (slot) => {
          this.started.push(actorId);
          this.#running.push({ orgId, actorId, slot });
        },
        (error: unknown) => this.refused.push(error),
      );
    }
    await setImmediate();
  }

  /** Ends the oldest running query, of one actor if it is named, after it has run for this time. */
  async end(actorId?: string, tookMs = 0): Promise<void> {
    this.nowMs += tookMs;
    const at = this.#running.findIndex((each) => actorId === undefined || each.actorId === actorId);
    const [ended] = this.#running.splice(at, 1);
    ended?.slot.release();
    await setImmediate();
  }

  slotOf(actorId: string): Slot | undefined {
    return this.#running.findLast((each) => each.actorId === actorId)?.slot;
  }
}

function request(actorId: string, { orgId = "org", isBackground = false, signal }: Ask = {}): SlotRequest {
  return { orgId, actorId, isBackground, signal: signal ?? new AbortController().signal };
}

const countOf = (names: readonly string[], name: string): number => names.filter((each) => each === name).length;

const ONE_ACTOR = { concurrentPerActorMax: 100, queuePerActorMax: 100 };

test("an organization without running queries never waits while the kept slot is free", async () => {
  const queries = new Queries(ONE_ACTOR);
  await queries.ask("heavy-1", { orgId: "heavy-1", count: 12 });
  await queries.ask("heavy-2", { orgId: "heavy-2", count: 12 });
  assert.equal(queries.slots.running, 7, "one slot is kept");
  for (let i = 0; i < 20; i++) {
    await queries.ask("light", { orgId: "light" });
    assert.equal(queries.started.at(-1), "light", "it starts at once");
    await queries.end("light");
    assert.equal(queries.slots.running, 7);
  }
});

test("a query of an idle organization starts before all later ones of busy organizations", async () => {
  const queries = new Queries(ONE_ACTOR);
  await queries.ask("heavy-1", { orgId: "heavy-1", count: 12 });
  await queries.ask("heavy-2", { orgId: "heavy-2", count: 12 });
  await queries.ask("other", { orgId: "other" });
  assert.equal(queries.slots.running, 8, "the kept slot is in use");
  await queries.ask("light", { orgId: "light" });
  const before = queries.started.length;
  await queries.ask("heavy-1", { orgId: "heavy-1", count: 4 });
  await queries.end("heavy-1");
  assert.deepEqual(queries.started.slice(before), ["light"]);
});

test("organizations with equally many queries take turns", async () => {
  const queries = new Queries({ ...ONE_ACTOR, concurrentMax: 4, concurrentPerOrgMax: 3 });
  await queries.ask("a", { orgId: "a", count: 8 });
  await queries.ask("b", { orgId: "b", count: 8 });
  assert.deepEqual(queries.started, ["a", "a", "a", "b"]);
  for (let i = 0; i < 6; i++) await queries.end();
  const later = queries.started.slice(4);
  assert.ok(Math.abs(countOf(later, "a") - countOf(later, "b")) <= 1, later.join());
  const one = new Queries({ concurrentMax: 1 });
  await one.ask("a", { orgId: "a", count: 3 });
  await one.ask("b", { orgId: "b", count: 3 });
  for (let i = 0; i < 5; i++) await one.end();
  assert.deepEqual(one.started, ["a", "b", "a", "b", "a", "b"]);
});

test("an actor has half of its organization's slots, and others start at once beside its flood", async () => {
  const queries = new Queries();
  await queries.ask("flood", { count: 10 });
  assert.deepEqual(queries.started, ["flood", "flood"]);
  for (let i = 0; i < 5; i++) {
    await queries.ask("ada");
    assert.equal(queries.started.at(-1), "ada");
    assert.equal(queries.slotOf("ada")?.waitedMs, 0);
    await queries.end("ada");
  }
  const three = new Queries({ concurrentPerActorMax: 3 });
  await three.ask("flood", { count: 10 });
  assert.equal(three.started.length, 3, "a setting changes the limit");
  const single = new Queries({ concurrentPerOrgMax: 1 });
  await single.ask("flood", { count: 4 });
  await single.ask("ada", { count: 2 });
  for (let i = 0; i < 4; i++) await single.end(undefined, 10);
  assert.deepEqual(single.started, ["flood", "ada", "flood", "ada", "flood"], "with one slot, actors take turns");
});

test("actors share the time of a slot: short queries run more often than long ones", async () => {
  const queries = new Queries({ concurrentPerOrgMax: 1 });
  await queries.ask("long", { count: 8 });
  await queries.ask("short", { count: 8 });
  const used = new Map<string, number>();
  for (let i = 0; i < 60; i++) {
    const running = queries.started.at(-1) ?? "";
    const tookMs = running === "long" ? 500 : 50;
    used.set(running, (used.get(running) ?? 0) + tookMs);
    await queries.ask(running);
    await queries.end(running, tookMs);
  }
  const ratio = (used.get("long") ?? 0) / (used.get("short") ?? 1);
  assert.ok(ratio > 0.5 && ratio < 2, `time of long to short: ${ratio}`);
});

test("an actor that pauses gets no advantage, and a very long query is forgiven", async () => {
  const queries = new Queries({ concurrentPerOrgMax: 1 });
  await queries.ask("a", { count: 8 });
  await queries.ask("b", { count: 8 });
  await queries.end("a", 60_000);
  const before = queries.started.length - 1;
  for (let i = 0; i < 8; i++) await queries.end(undefined, 1000);
  assert.ok(queries.started.slice(before, before + 5).includes("a"), "after about 2.5 s it has its turn again");
});

test("the flood itself is refused, with the limit and its numbers", async () => {
  const queries = new Queries();
  await queries.ask("flood", { count: 11 });
  const [refusal] = queries.refused as Problem[];
  assert.equal(refusal?.code, "rate_limited");
  assert.match(refusal.message, /runs 2 queries at once and 8 more wait.*query_waiting_actor/);
  assert.ok((refusal.options.retryAfterS ?? 0) > 0);
  await queries.ask("ada", { count: 10 });
  await queries.ask("bob", { count: 8 });
  await queries.ask("eve", { count: 8 });
  assert.equal(queries.refused.length, 1);
  await queries.ask("mallory");
  assert.match(String(queries.refused[1]), /query_waiting_organization/);
});

test("a query that waits too long is refused with the numbers, and a cancelled one leaves the queue", async () => {
  const queries = new Queries({ concurrentPerOrgMax: 1, queuePerActorMax: 1, queueTimeoutMs: 50 });
  await queries.ask("a");
  const controller = new AbortController();
  const given = assert.rejects(queries.slots.acquire(request("a", { signal: controller.signal })), /gone/);
  await assert.rejects(queries.slots.acquire(request("a")), /query_waiting_actor/);
  controller.abort(new Error("gone"));
  await given;
  await assert.rejects(
    queries.slots.acquire(request("b")),
    /waited 50 ms.*0 of this credential or person \(at most 1\)/,
  );
  await queries.end();
  assert.deepEqual([queries.slots.running, queries.slots.waiting], [0, 0]);
  await queries.ask("b");
  assert.deepEqual(queries.started, ["a", "b"]);
});

test("background queries have one of four slots and run last, but not for ever", async () => {
  const queries = new Queries({ concurrentPerActorMax: 4 });
  await queries.ask("alert", { isBackground: true, count: 3 });
  assert.deepEqual(queries.started, ["alert"]);
  await queries.ask("ada", { count: 6 });
  await queries.end("alert");
  assert.deepEqual(queries.started, ["alert", "ada", "ada", "ada", "ada"], "people come first");
  queries.nowMs += LIMITS.queueTimeoutMs / 2;
  await queries.end("ada");
  assert.equal(queries.started.at(-1), "alert", "it has waited for half of the limit");
  await queries.end("alert");
  assert.equal(countOf(queries.started, "alert"), 3, "the next one has waited, too");
});

test("a query shares the processor if its actor runs another one, or others wait", async () => {
  const queries = new Queries({ concurrentPerOrgMax: 4 });
  await queries.ask("ada");
  assert.equal(queries.slotOf("ada")?.isShared, false);
  await queries.ask("bob");
  assert.equal(queries.slotOf("bob")?.isShared, false);
  await queries.ask("bob");
  assert.equal(queries.slotOf("bob")?.isShared, true);
  await queries.ask("bob");
  await queries.ask("eve");
  assert.equal(queries.slotOf("eve")?.isShared, true, "a query of bob waits");
  await queries.ask("fay", { orgId: "other" });
  assert.equal(queries.slotOf("fay")?.isShared, true, "also when those of another organization wait");
});
