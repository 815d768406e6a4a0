import { isOfServer } from "./spool/tables.ts";
import { mkdir } from "node:fs/promises";
import { Problem } from "#kernel/problem.ts";
import { IDEMPOTENCY_WINDOW_MS } from "#kernel/limits.ts";
import { earlier } from "#kernel/deletions.ts";
import { areDeletionsHeld, lockDirectory } from "#stores/directory/index.ts";
import { Backpressure, pauseFor } from "./backpressure.ts";
import type { TelemetryType } from "./columns.ts";
import { CompactionSchedule } from "./compaction/schedule.ts";
import { MergeSchedule } from "./compaction/merge-schedule.ts";
import { isBehind } from "./compaction/pace.ts";
import type { Feed } from "./feed/feed.ts";
import { takeSnapshot } from "./hot/snapshot.ts";
import type { Appended, Batch, TelemetryHealth, TelemetryStore } from "./types.ts";
import { countRuns, healthOf } from "./health.ts";
import { assertPathSafe, layoutOf } from "./layout.ts";
import type { SegmentInfo } from "./log/segment.ts";
import { arrivalsIn } from "./moving/arrivals.ts";
import type { Lifecycle } from "./retention/index.ts";
import type { Snapshot, WantedTables } from "./snapshot.ts";
import type { Group } from "./spool/index.ts";
import { recover, spooledName, type Parts, type RowStoreOptions } from "./recovery.ts";

export type { RowStoreOptions } from "./recovery.ts";

/** Each attempt moves as much to Parquet as one file may have. */
const SETTLE_ATTEMPTS_MAX = 32;
const RETRY_LATER = { retryAfterS: 5 };

/**
 * Opens the write side of the embedded telemetry store: the log, the hot rows and compaction.
 * @throws Error when another process has the directory open, or a file can't be read
 */
export async function openRows(options: RowStoreOptions): Promise<RowStore> {
  const layout = layoutOf(options.dataDir);
  await mkdir(layout.root, { recursive: true, mode: 0o700 });
  const unlock = lockDirectory(layout.lock, "telemetry");
  try {
    return new RowStore(await recover(options, layout, unlock));
  } catch (error) {
    unlock();
    throw error;
  }
}

/** Stores batches durably, offers them to queries as files, and converts them to Parquet. */
export class RowStore {
  /** Implements `TelemetryStore.arrive`. */
  readonly arrive: TelemetryStore["arrive"];
  readonly #parts: Parts;
  readonly #schedule: CompactionSchedule;
  readonly #merges: MergeSchedule;
  readonly #backpressure: Backpressure;
  readonly #stopping = new AbortController();
  readonly #openedMs: number;
  #settling = false;
  #closing: Promise<void> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.arrive = arrivalsIn({ ...parts.options, ...parts });
    const { options, tables, wal, compactor, merger } = parts;
    const { clock, log, schedule, settings } = options;
    this.#openedMs = clock.nowMs();
    const common = { tables, clock, log, schedule };
    this.#backpressure = new Backpressure({ hot: tables, backlogBytes: settings.backlogBytes, clock, log });
    const counted = countRuns(options.metrics);
    this.#schedule = new CompactionSchedule({
      ...common,
      wal,
      settings: settings.compaction,
      compact: (table) => counted("compact", compactor.compact(table)),
      trim: () => this.#trim(),
    });
    this.#merges = new MergeSchedule({
      ...common,
      settings: settings.merge,
      merge: (table, merge) => counted("merge", merger.merge(table, merge)),
      isBehind: () => isBehind(tables, settings),
    });
    for (const each of [this.#schedule, this.#merges]) each.start();
    parts.lifecycle.start(() => this.#settle());
  }

  /** Retention, quotas and erasures. */
  get lifecycle(): Lifecycle {
    return this.#parts.lifecycle;
  }

  /** The directory's identifier, see `store-id.ts`. */
  get storeId(): string {
    return this.#parts.storeId;
  }

  /** Lists the organizations that have or had rows without which the answers of other servers are incomplete. */
  organizations(): string[] {
    const tables = [...this.#parts.tables.all()].filter(({ type }) => !isOfServer(type));
    return [...new Set(tables.map(({ orgId }) => orgId))];
  }

  get feed(): Feed {
    return this.#parts.feed;
  }

  /** Implements `TelemetryStore.append`. */
  async append(batch: Batch): Promise<Appended> {
    assertPathSafe(batch.orgId);
    this.#refuse();
    if (batch.count === 0) return { accepted: 0, replayed: false };
    await this.#admit(batch);
    if (batch.idempotency !== undefined) return this.#parts.keys.once(batch, () => this.#write(batch));
    await this.#write(batch);
    return { accepted: batch.count, replayed: false };
  }

  /**
   * Stores rows of the spool. They count against no rate and wait for no compaction, because nobody can send fewer.
   * @throws Problem `unavailable` or `disk_full`; then nothing was stored
   */
  async appendSpooled({ orgId, table: type, rows, count }: Group, piece: string): Promise<void> {
    assertPathSafe(orgId);
    this.#refuse();
    const { wal, options } = this.#parts;
    await wal.append({ orgId, type, count, piece, at: options.clock.nowMs() }, rows);
    this.#schedule.noteTaken();
  }

  /** Returns whether the log had the rows of a piece of the spool at the start. */
  hasSpooled({ orgId, table: type }: Pick<Group, "orgId" | "table">, piece: string): boolean {
    return this.#parts.spooled.has(spooledName(piece, { orgId, type }));
  }

  /**
   * Returns all rows of an organization as files. With `wanted`, returns only these tables and times.
   * @throws Problem `unavailable`
   */
  async snapshot(orgId: string, wanted?: WantedTables): Promise<Snapshot> {
    const { tables, lifecycle } = this.#parts;
    return takeSnapshot(tables.ofOrganization(orgId), wanted, lifecycle.shown(orgId));
  }

  /** Compacts all hot rows now, due or not, and trims the log. Failures are logged. */
  async compact(): Promise<void> {
    await this.#schedule.runAll();
  }

  /** Merges all files that should be merged now. Failures are logged. */
  async merge(): Promise<void> {
    await this.#merges.runDue();
  }

  /** Counts attributes that a query uses. The most used ones get separate columns. */
  noteAsked(orgId: string, type: TelemetryType, keys: readonly string[]): void {
    this.#parts.asked.note(orgId, type, keys);
  }

  get died(): Promise<Error> {
    return this.#parts.wal.died;
  }

  health(): Omit<TelemetryHealth, "queriesRunning" | "queriesWaiting" | "spool"> {
    return healthOf(this.#parts, this.#logIsFull());
  }

  /** Tests whether the log takes writes, for `health`. */
  async probe(): Promise<void> {
    await this.#parts.wal.probe();
  }

  /** Finishes running appends. All other rows stay in the log. */
  close(): Promise<void> {
    this.#stopping.abort();
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { wal, runners, files, lifecycle, tables, unlock } = this.#parts;
    await wal.close();
    const stopped = [this.#schedule.stop(), this.#merges.stop(), lifecycle.stop()];
    for (const runner of runners) await runner.close();
    await Promise.all(stopped);
    await files.close();
    await tables.written().catch(() => {});
    unlock();
  }

  /** @throws Problem `unavailable` when no batch can be accepted now */
  #refuse(): void {
    if (this.#closing !== undefined)
      throw new Problem("unavailable", "cannot keep the entries: the server is stopping", RETRY_LATER);
    if (!this.#logIsFull()) return;
    const detail = "cannot keep the entries: compaction can't keep up with new entries; send them again later";
    throw new Problem("unavailable", detail, RETRY_LATER);
  }

  async #admit({ orgId, sender }: Pick<Batch, "orgId" | "sender">): Promise<void> {
    const { tables, options } = this.#parts;
    const delayMs = this.#backpressure.delayMs(orgId, sender);
    if (delayMs >= 1) {
      await (options.pause ?? pauseFor)(delayMs, this.#stopping.signal);
      this.#refuse();
    }
    if (tables.unwrittenBytes <= options.settings.hotMemoryBytes) return;
    try {
      await tables.written();
    } catch (error) {
      const detail =
        "cannot keep the entries: writing to the disk failed; nothing of this request was kept, send it again later";
      throw new Problem("unavailable", detail, { ...RETRY_LATER, cause: error });
    }
  }

  #logIsFull(): boolean {
    const { wal, options } = this.#parts;
    return wal.bytes > options.settings.logBytesMax;
  }

  async #write(batch: Batch): Promise<void> {
    const { wal, options, lifecycle } = this.#parts;
    const { orgId, type, count, idempotency, rows, rowsCrc, sender } = batch;
    lifecycle.quotas.charge(orgId, rows.length);
    if (sender !== undefined) this.#backpressure.note(orgId, sender, rows.length);
    const appended = wal.append({ orgId, type, count, at: options.clock.nowMs(), ...idempotency }, rows, rowsCrc);
    await appended.finally(() => this.#schedule.noteTaken());
  }

  /**
   * Moves all acknowledged batches to Parquet, and deletes their log segments. Returns the last such batch.
   * @throws Error when that is not possible now
   */
  async #settle(): Promise<number> {
    await this.#parts.options.beforeSettle?.();
    this.#settling = true;
    try {
      return await this.#settleAll(this.#parts.wal.lastSeq);
    } finally {
      this.#settling = false;
    }
  }

  async #settleAll(throughSeq: number): Promise<number> {
    const { wal } = this.#parts;
    for (let attempt = 0; attempt < SETTLE_ATTEMPTS_MAX; attempt++) {
      await this.#schedule.runAll();
      if (wal.segments.every(({ firstSeq }) => firstSeq > throughSeq)) return throughSeq;
      await wal.endSegment();
    }
    throw new Error("cannot move all telemetry to Parquet now");
  }

  /** Deletes the oldest segments if Parquet has all their batches. Saves the keys that only these segments have. */
  async #trim(): Promise<void> {
    const { wal, keys, manifest, options } = this.#parts;
    const present = wal.segments.at(-1);
    if (present !== undefined && present.bytes > 0 && this.#isCompacted(present)) wal.rotate();
    let lastSeq = 0;
    let bytes = wal.bytes;
    for (const segment of wal.closedSegments) {
      if (!this.#isCompacted(segment) || this.#isForReplay(segment, bytes)) break;
      lastSeq = segment.lastSeq;
      bytes -= segment.bytes;
    }
    // The records in a backup may know fewer compacted batches. The backup then needs these segments of the log.
    if (lastSeq === 0 || areDeletionsHeld(options.dataDir)) return;
    const saved = keys.upTo(lastSeq);
    if (saved.length > 0) {
      const dueMs = options.clock.deletionTime("telemetry_keys");
      await manifest.saveKeys(saved, dueMs === null ? null : earlier(dueMs, IDEMPOTENCY_WINDOW_MS));
    }
    const deletedTo = await wal.deleteWhile((segment) => segment.lastSeq <= lastSeq && this.#isCompacted(segment));
    keys.forgetUpTo(deletedTo);
  }

  /**
   * Returns whether a segment is kept for readers of the feed although Parquet has its rows. `bytes` is the size of the log
   * from this segment on.
   */
  #isForReplay(segment: SegmentInfo, bytes: number): boolean {
    const { wal, options } = this.#parts;
    const { replayMs, replayBytes } = options.settings;
    if (this.#settling || wal.failure !== undefined || bytes > replayBytes) return false;
    return options.clock.nowMs() - Math.max(segment.lastAtMs, this.#openedMs) < replayMs;
  }

  #isCompacted(segment: SegmentInfo): boolean {
    for (const [name, lastSeq] of segment.tables) {
      if ((this.#parts.tables.byName(name)?.compactedSeq ?? 0) < lastSeq) return false;
    }
    return true;
  }
}
