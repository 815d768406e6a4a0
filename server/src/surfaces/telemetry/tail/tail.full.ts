import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "#kernel/time.ts";
import {
  logBatch,
  openTestStore,
  temporaryDirectory,
  testSettings,
  type OpenStore,
} from "#stores/telemetry/testing/store.ts";
import { filterOf } from "./filter.ts";
import { Hub } from "./hub.ts";
import type { Output } from "./output.ts";
import { positionOf, type Position } from "./position.ts";
import { seenOf, type Seen } from "./seen.ts";
import { Tail } from "./tail.ts";
import { createWork } from "./work.ts";

const TABLE = { orgId: "org_a", type: "logs" } as const;
const ALL = seenOf({ shown: new Set(), hidden: new Set(), unassigned: true });
const FREE = { share: 1, burstMs: 1000 };

interface Fixture extends AsyncDisposable {
  readonly store: OpenStore;
  readonly hub: Hub;
  tail(options?: { since?: Position; seen?: Seen; look?: () => Promise<Seen> }): Reader;
  append(...messages: string[]): Promise<void>;
}

/** A reader whose speed the test sets. */
interface Reader {
  readonly tail: Tail;
  readonly text: string;
  readonly messages: string[];
  readonly gaps: { from: string; to: string; left_out: number | null; reason: string }[];
  /** The position in the last event. */
  readonly position: Position | undefined;
  slow(isSlow: boolean): void;
  until(what: string, fits: () => boolean): Promise<void>;
}

async function open(change: Parameters<typeof testSettings>[0] = {}): Promise<Fixture> {
  const dir = await temporaryDirectory();
  const store = await openTestStore(dir.path, { settings: testSettings(change) });
  const { feed } = store.rows;
  const work = createWork(FREE);
  const hub = new Hub(feed, TABLE, work);
  const closers: (() => void)[] = [];
  return {
    store,
    hub,
    tail: ({ since, seen = ALL, look = async () => seen } = {}) => {
      const reader = output();
      const { out } = reader;
      const filter = filterOf({ attributes: {} });
      const tail = new Tail({ feed, table: TABLE, hub, work, clock: systemClock, out, filter, seen, look, since });
      const running = tail.run();
      closers.push(() => {
        reader.close();
        tail.wake();
      });
      running.catch((error: unknown) => assert.fail(String(error)));
      return Object.assign(reader, { tail });
    },
    append: async (...messages) => void (await store.rows.append(logBatch("org_a", messages))),
    [Symbol.asyncDispose]: async () => {
      for (const close of closers) close();
      hub.close();
      await store.close();
      await dir[Symbol.asyncDispose]();
    },
  };
}

function output() {
  let text = "";
  let full = false;
  let closed = false;
  let changed = Promise.withResolvers<void>();
  const tell = (): void => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  const out: Output = {
    get closed() {
      return closed;
    },
    get full() {
      return full;
    },
    write: (more) => {
      text += more;
      tell();
    },
    room: async () => {
      while (full && !closed) await changed.promise;
    },
    end: () => undefined,
    onClose: () => undefined,
  };
  const dataOf = <T>(event: string): T[] =>
    [...text.matchAll(new RegExp(`event: ${event}\ndata: (.*)\n`, "g"))].map(([, json]) => JSON.parse(json ?? "") as T);
  return {
    out,
    close: () => {
      closed = true;
      tell();
    },
    get text() {
      return text;
    },
    get messages() {
      return dataOf<{ message: string }>("entry").map(({ message }) => message);
    },
    get gaps() {
      return dataOf<Reader["gaps"][number]>("gap");
    },
    get position() {
      return positionOf([...text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? "");
    },
    slow: (isSlow: boolean) => {
      full = isSlow;
      tell();
    },
    until: async (what: string, fits: () => boolean) => {
      const deadline = performance.now() + 60_000;
      while (!fits()) {
        assert.ok(performance.now() < deadline, `waited in vain for ${what}; got ${text.slice(-2000)}`);
        await Promise.race([changed.promise, new Promise((resolve) => setTimeout(resolve, 20))]);
      }
    },
  };
}

const numbered = (count: number, prefix = "m"): string[] => Array.from({ length: count }, (_, i) => `${prefix}${i}`);

test("a slow reader costs no memory and misses no entry that the log still has", async () => {
  await using fixture = await open();
  const slow = fixture.tail();
  const quick = fixture.tail();
  await fixture.append("first");
  await slow.until("the first", () => slow.messages.length === 1);
  slow.slow(true);
  const messages = numbered(400);
  for (const message of messages) await fixture.append(message, "x".repeat(15_000));
  await quick.until("all", () => quick.messages.length === 801);
  assert.ok(slow.messages.length <= 3, "nothing is written to a reader that does not read");
  slow.slow(false);
  await slow.until("all", () => slow.messages.length === 801);
  assert.deepEqual(slow.messages, quick.messages);
  assert.deepEqual([slow.gaps, quick.gaps], [[], []]);
});

test("a reader that is slower than the log gets the number of missed entries, and continues with current ones", async () => {
  await using fixture = await open({ segmentBytes: 1000 });
  const reader = fixture.tail();
  await fixture.append("first");
  await reader.until("the first", () => reader.messages.length === 1);
  reader.slow(true);
  await fixture.append("taken while it was slow");
  for (const message of numbered(30)) await fixture.append(message, message, "y".repeat(300));
  // More than memory keeps for readers that reconnect.
  for (let i = 0; i < 30; i++) await fixture.append("z".repeat(200_000));
  await fixture.store.rows.compact();
  await fixture.append("one more");
  await fixture.store.rows.compact();
  reader.slow(false);
  await reader.until("the gap", () => reader.gaps.length === 1);
  await fixture.append("after");
  await reader.until("the entry after it", () => reader.messages.includes("after"));
  const shown = reader.messages.length;
  const [gap] = reader.gaps;
  assert.equal(gap?.reason, "too_slow");
  assert.equal(
    shown + (gap?.left_out ?? 0),
    1 + 1 + 90 + 30 + 1 + 1,
    "shown and missed entries together are all entries",
  );
  assert.ok((gap?.from ?? "") <= (gap?.to ?? ""));
  assert.equal(reader.messages.at(-1), "after");
});

test("when more arrives than can be matched in time, entries are skipped and counted", async () => {
  await using fixture = await open();
  const reader = fixture.tail();
  await fixture.append("first");
  await reader.until("the first", () => reader.messages.length === 1);
  const large = "x".repeat(1_000_000);
  // Acknowledged in one turn of the event loop, before any could be matched.
  await Promise.all(Array.from({ length: 20 }, () => fixture.append(large, "small")));
  await fixture.append("last");
  await reader.until("the last", () => reader.messages.includes("last"));
  const leftOut = reader.gaps.reduce((sum, gap) => sum + (gap.left_out ?? 0), 0);
  assert.ok(reader.gaps.length >= 1 && reader.gaps.every(({ reason }) => reason === "busy"));
  assert.equal(reader.messages.length + leftOut, 1 + 40 + 1);
});

test("a reader that reconnects too late gets the time of the gap and the remaining entries, without a number", async () => {
  await using fixture = await open({ segmentBytes: 1000 });
  const first = fixture.tail();
  await fixture.append("first");
  await first.until("the first", () => first.messages.length === 1);
  const since = first.position;
  for (const message of numbered(20)) await fixture.append(message, "y".repeat(300));
  await fixture.store.rows.compact();
  await fixture.append("in the log");
  const late = fixture.tail(since === undefined ? {} : { since });
  // The hub of the first reader still has them in memory, which counts too.
  await late.until("all of it", () => late.messages.length === 41);
  assert.deepEqual(late.gaps, []);
  fixture.hub.leave(first.tail);
  const other = new Hub(fixture.store.rows.feed, TABLE, createWork(FREE));
  const gone = output();
  const tail = new Tail({
    feed: fixture.store.rows.feed,
    table: TABLE,
    hub: other,
    work: createWork(FREE),
    clock: systemClock,
    out: gone.out,
    filter: filterOf({ attributes: {} }),
    seen: ALL,
    look: async () => ALL,
    since,
  });
  const running = tail.run();
  await gone.until("the gap", () => gone.gaps.length === 1);
  await gone.until("what the log has", () => gone.messages.includes("in the log"));
  assert.deepEqual([gone.gaps[0]?.reason, gone.gaps[0]?.left_out], ["too_old", null]);
  gone.close();
  tail.wake();
  await running;
  other.close();
});

test("permissions for a new project are checked before its first entry is shown or hidden", async () => {
  await using fixture = await open();
  const project = (id: string, message: string) => {
    const row = { timestamp: "2026-11-20T08:00:00Z", level: "info", message, project_id: id };
    return fixture.store.rows.append({
      orgId: "org_a",
      type: "logs",
      rows: Buffer.from(`${JSON.stringify(row)}\n`),
      count: 1,
    });
  };
  let looks = 0;
  const look = async (): Promise<Seen> => {
    looks += 1;
    return seenOf({ shown: new Set(["proj_open"]), hidden: new Set(["proj_closed"]), unassigned: true });
  };
  const reader = fixture.tail({ look });
  await project("proj_closed", "closed");
  await project("proj_open", "open");
  await project("proj_unknown", "nobody's");
  await project("proj_unknown", "nobody's");
  await fixture.append("last");
  await reader.until("the last", () => reader.messages.includes("last"));
  assert.deepEqual(reader.messages, ["open", "last"]);
  assert.ok(looks >= 1 && looks <= 4, `${looks} questions`);
});

test("a reader that joins and leaves at random moments under load gets every entry once", async () => {
  await using fixture = await open({ segmentBytes: 50_000 });
  const steady = fixture.tail();
  let running = true;
  const writers = [1, 2, 3].map(async (w) => {
    for (let i = 0; running; i++) await fixture.append(...numbered(1 + (i % 5), `${w}.${i}.`));
  });
  const shown: string[] = [];
  let since: Position | undefined;
  for (let round = 0; round < 30; round++) {
    const reader = fixture.tail(since === undefined ? {} : { since });
    const wanted = 1 + Math.floor(Math.random() * 200);
    await reader.until("some", () => reader.messages.length >= wanted);
    if (round % 3 === 0) {
      reader.slow(true);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
      reader.slow(false);
      await reader.until("more", () => reader.messages.length >= wanted + 50);
    }
    // Cut off at a random entry, as a broken connection would be.
    const ids = [...reader.text.matchAll(/^id: (.*)\nevent: entry\ndata: (.*)$/gm)];
    const cut = 1 + Math.floor(Math.random() * ids.length);
    shown.push(...ids.slice(0, cut).map(([, , data]) => (JSON.parse(data ?? "") as { message: string }).message));
    since = positionOf(ids[cut - 1]?.[1] ?? "");
    fixture.hub.leave(reader.tail);
  }
  running = false;
  await Promise.all(writers);
  await steady.until("all", () => steady.messages.length >= shown.length);
  const from = steady.messages.indexOf(shown[0] ?? "");
  assert.deepEqual(shown, steady.messages.slice(from, from + shown.length));
  assert.ok(shown.length > 1000);
});

test("heartbeats have the reader's position when no entry matches its filter", async () => {
  await using fixture = await open();
  const hidden = seenOf({ shown: new Set(), hidden: new Set(), unassigned: false });
  const reader = fixture.tail({ seen: hidden });
  await reader.until("the beginning", () => reader.text.includes("event: position"));
  reader.tail.beat();
  assert.match(reader.text, /\n\n: \n\n$/, "the position did not change, so a comment is enough");
  const before = reader.position;
  await fixture.append("not shown");
  const all = fixture.tail();
  await reader.until("the position", () => {
    reader.tail.beat();
    return (reader.position?.seq ?? 0) > (before?.seq ?? 0);
  });
  assert.deepEqual([reader.messages, all.messages], [[], []]);
});
