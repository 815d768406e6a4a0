import { setTimeout as delay } from "node:timers/promises";
import { newId } from "#kernel/ids.ts";
import { Problem } from "#kernel/problem.ts";
import { earlier, type GuardedClock } from "#kernel/deletions.ts";
import type { Schedule, ScheduledWork } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import {
  changesFrom,
  deleteNode,
  deleteNodesSeenBefore,
  lastAccessChange,
  nodesBehind,
  pruneChanges,
  upsertNode,
  voidTokens,
  type ChangeRow,
} from "./store.ts";

/** A node's reaction to changes. Both methods may be called again for the same change. */
export interface ChangeListener {
  apply(changes: readonly ChangeRow[]): Promise<void> | void;
  /**
   * Drops everything cached, then applies these void tokens. Called if the feed does not know which changes it missed.
   */
  reset(voidTokens: readonly ChangeRow[]): Promise<void> | void;
}

export interface ChangeFeedDeps {
  readonly metadata: MetadataStore;
  readonly clock: GuardedClock;
  readonly log: { warn(fields: object, message: string): void };
  readonly schedule: Schedule;
  /** The keys that this node can use, for the other nodes. */
  readonly ring?: { readonly masters: { ids(): readonly string[] }; readonly digest: string } | undefined;
}

/**
 * How often a node reads changes while requests depend on them, so that no request waits for the database.
 * Announcements are faster.
 */
const BUSY_POLL_MS = 250;
/**
 * How often an idle node reads changes. With SQLite nothing announces the changes of a command that runs beside the
 * server.
 */
const REST_POLL_MS = 1_000;
/**
 * After this time a node reads the changes again before any decision. If the read fails, it answers 503. So a
 * revocation takes effect everywhere within this time, also on a node without its database. It must stay well below
 * `NODE_LIVE_MS` less `HEARTBEAT_MS`: a revocation waits for live nodes, and a node that may still trust its memory
 * must count as one.
 */
const FRESH_MS = 1_000;
const ON_DEMAND_SYNC_MS = 1_000;
const HEARTBEAT_MS = 2_000;
/** A read also writes the heartbeat if the heartbeat is due within this time. */
const HEARTBEAT_EARLY_MS = 150;
const NODE_LIVE_MS = 5_000;
const NODE_FORGOTTEN_MS = 24 * 60 * 60 * 1000;
const CHANGE_KEPT_MS = 60 * 60 * 1000;
const PRUNE_EVERY_MS = 10 * 60 * 1000;
const BARRIER_STEP_MS = 20;
const BARRIER_STEPS = 100;
const BATCH = 1_000;

/**
 * A node's view of the changes. `start` registers the node and keeps the view current. Without `start`, each use brings
 * it up to date.
 */
export class ChangeFeed {
  readonly #deps: ChangeFeedDeps;
  /** The id of this node, which other nodes see. */
  readonly nodeId: string;
  readonly #listeners: ChangeListener[] = [];
  readonly #presence: Presence;
  readonly #schedule: Schedule;
  #polling: ScheduledWork | undefined;
  #stopListening: (() => void) | undefined;
  /** A decision was made since the last poll. */
  #isUsed = false;
  #appliedSeq = -1; // nothing read yet
  #syncedAtMs = Number.NEGATIVE_INFINITY;
  #failing = false;
  #running: Promise<void> | undefined;
  #queued: Promise<void> | undefined;

  constructor(deps: ChangeFeedDeps) {
    this.#deps = deps;
    this.nodeId = newId("node", deps.clock.nowMs());
    this.#presence = createPresence({ ...deps, nodeId: this.nodeId, appliedSeq: () => this.#appliedSeq });
    this.#schedule = deps.schedule;
  }

  subscribe(listener: ChangeListener): void {
    this.#listeners.push(listener);
  }

  async start(): Promise<void> {
    await this.sync();
    await this.#presence.beat();
    const polling = this.#schedule.add("access changes", {
      everyMs: REST_POLL_MS,
      run: () => this.#poll(),
      failed: (error) => this.#pollFailed(error),
    });
    this.#polling = polling;
    this.#stopListening = this.#deps.metadata.onNotify("auth_change", () => polling.ask(0));
  }

  async stop(): Promise<void> {
    this.#stopListening?.();
    await this.#polling?.stop();
    await this.#presence.leave();
  }

  /**
   * Applies all changes that were committed before the call. A running read may have begun too early, so a new read
   * follows it.
   */
  sync(): Promise<void> {
    if (this.#running === undefined) {
      this.#running = this.#readAll().finally(() => (this.#running = undefined));
      return this.#running;
    }
    this.#queued ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#queued = undefined;
        return this.sync();
      });
    return this.#queued;
  }

  /** @throws Problem `unavailable` if this node can't read the latest revocations */
  ensureFresh(): Promise<void> | void {
    if (!this.#isUsed) {
      this.#isUsed = true;
      this.#polling?.ask(BUSY_POLL_MS);
    }
    if (this.#ageMs() > FRESH_MS) return this.#renew();
  }

  /** Waits until every live node has applied `seq`. Returns false if one has not within two seconds. */
  async propagate(seq: number): Promise<boolean> {
    const { metadata, clock } = this.#deps;
    for (let step = 0; step < BARRIER_STEPS; step++) {
      const seenSinceMs = clock.nowMs() - NODE_LIVE_MS;
      const behind = await nodesBehind(metadata.read, { seq, seenSinceMs, exceptId: this.nodeId });
      if (behind.length === 0) return true;
      await delay(BARRIER_STEP_MS);
    }
    return false;
  }

  #ageMs(): number {
    return Math.abs(this.#deps.clock.nowMs() - this.#syncedAtMs);
  }

  async #renew(): Promise<void> {
    const failure = await Promise.race([
      this.sync().then(
        () => undefined,
        (error: unknown) => ({ error }),
      ),
      delay(ON_DEMAND_SYNC_MS, { error: new Error("the database does not answer") }, { ref: false }),
    ]);
    if (failure === undefined) return;
    throw new Problem(
      "unavailable",
      "This node can't check credentials now, because it can't reach its database. Try again shortly.",
      {
        cause: failure.error,
      },
    );
  }

  async #poll(): Promise<void> {
    if (this.#isUsed) this.#polling?.ask(BUSY_POLL_MS);
    this.#isUsed = false;
    await this.sync();
    await this.#presence.beat();
    this.#failing = false;
  }

  #pollFailed(error: unknown): void {
    this.#polling?.ask(BUSY_POLL_MS);
    // Log once for an outage, not four times a second.
    if (!this.#failing) this.#deps.log.warn({ err: error }, "cannot read the feed of changes");
    this.#failing = true;
  }

  async #readAll(): Promise<void> {
    const { metadata, clock } = this.#deps;
    const startedAtMs = clock.nowMs();
    if (this.#appliedSeq < 0) await this.#reset();
    for (;;) {
      const rows = await changesFrom(metadata.read, this.#appliedSeq, BATCH);
      if (continues(rows, this.#appliedSeq)) await this.#apply(rows);
      else await this.#reset();
      if (rows.length < BATCH) break;
    }
    this.#syncedAtMs = startedAtMs;
  }

  async #apply(rows: readonly ChangeRow[]): Promise<void> {
    const fresh = rows.filter((row) => row.seq > this.#appliedSeq);
    const last = fresh.at(-1);
    if (last === undefined) return;
    for (const listener of this.#listeners) await listener.apply(fresh);
    this.#appliedSeq = last.seq;
  }

  async #reset(): Promise<void> {
    const { metadata, clock } = this.#deps;
    const seq = await lastAccessChange(metadata.read);
    const tokens = await voidTokens(metadata.read, clock.nowMs());
    for (const listener of this.#listeners) await listener.reset(tokens);
    this.#appliedSeq = seq;
  }
}

/**
 * Whether the rows follow the last one. Numbers have no gap, so a gap means that rows were deleted, or that a backup
 * was restored.
 */
function continues(rows: readonly ChangeRow[], appliedSeq: number): boolean {
  const expectedFirst = appliedSeq === 0 ? 1 : appliedSeq;
  if (rows.length === 0) return appliedSeq === 0;
  return rows.every((row, i) => row.seq === expectedFirst + i);
}

interface Presence {
  beat(): Promise<void>;
  leave(): Promise<void>;
}

/** Writes the node's own row after it applied changes, and every two seconds. */
function createPresence(deps: ChangeFeedDeps & { nodeId: string; appliedSeq: () => number }): Presence {
  const { metadata, clock, nodeId } = deps;
  const startedAtMs = clock.nowMs();
  let writtenSeq = -1;
  let writtenAtMs = Number.NEGATIVE_INFINITY;
  let prunedAtMs = startedAtMs;
  let joined = false;

  async function beat(): Promise<void> {
    const nowMs = clock.nowMs();
    const seq = deps.appliedSeq();
    if (seq === writtenSeq && nowMs - writtenAtMs < HEARTBEAT_MS - HEARTBEAT_EARLY_MS) return;
    const prune = nowMs - prunedAtMs >= PRUNE_EVERY_MS;
    const dueMs = prune ? clock.deletionTime("revocations") : null;
    await metadata.write(async (tx) => {
      const master_ids = deps.ring?.masters.ids().join(" ") ?? null;
      const key_ring = deps.ring?.digest ?? null;
      const row = { id: nodeId, applied_seq: seq, started_at: startedAtMs, seen_at: nowMs };
      await upsertNode(tx, { ...row, master_ids, key_ring });
      if (dueMs === null) return;
      await deleteNodesSeenBefore(tx, earlier(dueMs, NODE_FORGOTTEN_MS));
      await pruneChanges(tx, { beforeMs: earlier(dueMs, CHANGE_KEPT_MS), nowMs: dueMs });
    });
    joined = true;
    if (prune) prunedAtMs = nowMs;
    writtenSeq = seq;
    writtenAtMs = nowMs;
  }

  async function leave(): Promise<void> {
    if (joined) await metadata.write((tx) => deleteNode(tx, nodeId));
    joined = false;
  }

  return { beat, leave };
}
