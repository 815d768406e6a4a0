import { rm, statfs } from "node:fs/promises";
import { Problem } from "#kernel/problem.ts";
import { healthReasonOf, type HealthReason } from "#kernel/store-health.ts";
import { probeWrite, syncDirectory } from "#stores/directory/index.ts";
import type { TelemetryLog } from "../settings.ts";
import { draftFrame, sealFrame, type FrameDraft, type FrameMeta } from "./frame.ts";
import { newSegmentInfo, type CreateSegmentFile, type SegmentFile, type SegmentInfo } from "./segment.ts";

export interface LogOptions {
  readonly dir: string;
  readonly segmentBytes: number;
  readonly diskFreeBytesMin: number;
  readonly create: CreateSegmentFile;
  readonly log: TelemetryLog;
  /** Receives the seconds of each flush. */
  readonly flushed?: (seconds: number) => void;
  /** The segments on disk at the start, in order, and the number of the next batch. */
  readonly segments: readonly SegmentInfo[];
  readonly nextSeq: number;
  /** Called for each batch, in the order of the log, after it is on disk and before its `append` resolves. */
  readonly committed: (seq: number, meta: FrameMeta, rows: Buffer) => void;
}

interface Waiting {
  readonly meta: FrameMeta;
  readonly frame: FrameDraft;
  readonly resolve: () => void;
  readonly reject: (reason: Problem) => void;
}

const GROUP_FRAMES_MAX = 512;
const GROUP_BYTES_MAX = 32 * 1024 * 1024;
/** The most bytes of batches that wait for the disk. More are refused, so that a slow disk does not fill the memory. */
const WAITING_BYTES_MAX = 256 * 1024 * 1024;
const SPACE_CHECK_BYTES = 8 * 1024 * 1024;
const DISK_FULL_CODES: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

/**
 * The write-ahead log. Batches that arrive during a flush form the next group: one write, one `fdatasync`, then all of them
 * are acknowledged.
 * A group that can't be written is rejected as a whole and cut off from the file. Its numbers are given to the next group. A
 * segment ends where the next one begins, so bytes that could not be cut off are ignored once a newer segment exists.
 */
export class WriteAheadLog {
  readonly #options: LogOptions;
  readonly #segments: SegmentInfo[];
  #nextSeq: number;
  #file: SegmentFile | undefined;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #draining: Promise<void> | undefined;
  #unchecked = Number.POSITIVE_INFINITY;
  #failure: { readonly reason: HealthReason; readonly detail: string } | undefined;
  #rotateAsked = false;
  /** For each table, the last batch whose segment was deleted. */
  readonly #deleted = new Map<string, number>();
  #closed = false;
  readonly #death = Promise.withResolvers<Error>();
  #dead = false;

  constructor(options: LogOptions) {
    this.#options = options;
    this.#segments = [...options.segments];
    this.#nextSeq = options.nextSeq;
  }

  /**
   * Resolves when disk and memory no longer agree. Only a new process can then continue. A failing disk alone does not
   * cause this, because the next write may succeed.
   */
  get died(): Promise<Error> {
    return this.#death.promise;
  }

  /** Why the last write failed, or undefined if it succeeded. */
  get failure(): { readonly reason: HealthReason; readonly detail: string } | undefined {
    return this.#failure;
  }

  /** The bytes of batches that wait for the disk. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** Writes a small file beside the segments, so that a full or broken disk shows without a batch. */
  async probe(): Promise<void> {
    try {
      await this.#requireSpace();
      this.#options.flushed?.(await probeWrite(this.#options.dir));
      this.#failure = undefined;
    } catch (error) {
      this.#refusal(error);
      throw error;
    }
  }

  get bytes(): number {
    return this.#segments.reduce((sum, segment) => sum + segment.bytes, 0);
  }

  /** Every segment, the oldest first. */
  get segments(): readonly SegmentInfo[] {
    return this.#segments;
  }

  /** The segments that get no more batches, the oldest first. */
  get closedSegments(): readonly SegmentInfo[] {
    return this.#segments.filter((segment) => this.#isClosed(segment));
  }

  /**
   * Resolves when the batch is on disk.
   * @throws Problem `disk_full` or `unavailable`; then nothing of the batch was stored
   */
  append(meta: FrameMeta, rows: Buffer, rowsCrc?: number): Promise<void> {
    if (this.#closed || this.#dead)
      return Promise.reject(new Problem("unavailable", "cannot keep the entries: the server is stopping"));
    const frame = draftFrame(meta, rows, rowsCrc);
    if (this.#waitingBytes > 0 && this.#waitingBytes + frame.bytes > WAITING_BYTES_MAX)
      return Promise.reject(overloaded());
    this.#waitingBytes += frame.bytes;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ meta, frame, resolve, reject });
      this.#draining ??= this.#drain().catch((error: unknown) => this.#die(error));
    });
  }

  /** Returns the last batch of a table (`org/type`) whose segment was deleted since the start, or 0. */
  deletedSeq(table: string): number {
    return this.#deleted.get(table) ?? 0;
  }

  /** Makes the next batch start a new segment, so that the current one can be deleted. */
  rotate(): void {
    this.#rotateAsked = true;
  }

  /** The last acknowledged batch, or 0. */
  get lastSeq(): number {
    return this.#nextSeq - 1;
  }

  /**
   * Ends the current segment now, so that it can be deleted without another append. If an append is running, that append
   * ends it.
   */
  async endSegment(): Promise<void> {
    const present = this.#segments.at(-1);
    if (present === undefined || present.bytes === 0) return;
    this.#rotateAsked = true;
    const file = this.#file;
    if (this.#draining !== undefined || file === undefined) return;
    this.#file = undefined;
    await file.close();
  }

  /**
   * Deletes the oldest segments while `isDone` returns true for them. Keeps the segment that is written to. Returns the last
   * deleted batch, or 0.
   */
  async deleteWhile(isDone: (segment: SegmentInfo) => boolean): Promise<number> {
    let deletedTo = 0;
    for (let oldest = this.#segments[0]; oldest !== undefined && this.#isClosed(oldest); oldest = this.#segments[0]) {
      if (!isDone(oldest)) break;
      // Set before the file is deleted, so that a concurrent reader of the log knows why the file is missing.
      for (const [table, lastSeq] of oldest.tables) this.#deleted.set(table, lastSeq);
      await rm(oldest.path, { force: true });
      this.#segments.splice(this.#segments.indexOf(oldest), 1);
      deletedTo = oldest.lastSeq;
    }
    if (deletedTo > 0) await syncDirectory(this.#options.dir);
    return deletedTo;
  }

  /** Waits for running appends, then closes the file. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#draining;
    await this.#file?.close();
    this.#file = undefined;
  }

  #isClosed(segment: SegmentInfo): boolean {
    return this.#file === undefined || segment !== this.#segments.at(-1);
  }

  async #drain(): Promise<void> {
    // Waits one microtask, so that batches that arrive together share a flush.
    await Promise.resolve();
    while (this.#waiting.length > 0) await this.#commit(this.#takeGroup());
    // Reset in the same turn as the last check, so that a later append starts a new drain.
    this.#draining = undefined;
  }

  /** Rejects the waiting batches. None of them was written. */
  #die(cause: unknown): void {
    this.#dead = true;
    this.#draining = undefined;
    const problem = new Problem("unavailable", "cannot keep the entries: the server is stopping", { cause });
    for (const { reject } of this.#waiting.splice(0)) reject(problem);
    this.#waitingBytes = 0;
    this.#death.resolve(cause instanceof Error ? cause : new Error(String(cause)));
  }

  #takeGroup(): Waiting[] {
    let bytes = 0;
    let count = 0;
    for (const { frame } of this.#waiting) {
      if (count > 0 && (count === GROUP_FRAMES_MAX || bytes + frame.bytes > GROUP_BYTES_MAX)) break;
      bytes += frame.bytes;
      count += 1;
    }
    this.#waitingBytes -= bytes;
    return this.#waiting.splice(0, count);
  }

  async #commit(group: readonly Waiting[]): Promise<void> {
    try {
      await this.#write(group);
    } catch (error) {
      const problem = this.#refusal(error);
      for (const { reject } of group) reject(problem);
      return;
    }
    this.#failure = undefined;
    this.#acknowledge(group);
  }

  async #write(group: readonly Waiting[]): Promise<void> {
    const bytes = group.reduce((sum, { frame }) => sum + frame.bytes, 0);
    await this.#checkSpace(bytes);
    const { file, segment } = await this.#writable();
    let seq = this.#nextSeq;
    for (const { frame } of group) sealFrame(frame, seq++);
    try {
      await file.write(
        group.flatMap(({ frame }) => [frame.head, frame.rows]),
        segment.bytes,
      );
    } catch (error) {
      await this.#cutOff(file, segment);
      throw error;
    }
    const beganMs = performance.now();
    try {
      await file.datasync();
      this.#options.flushed?.((performance.now() - beganMs) / 1000);
    } catch (error) {
      // After a failed flush the kernel may mark lost pages as clean. A second flush would then succeed wrongly.
      await this.#abandon(file, segment);
      throw error;
    }
    segment.bytes += bytes;
  }

  /** @throws Error when the rows could not be added in memory; no batch is acknowledged after that */
  #acknowledge(group: readonly Waiting[]): void {
    const segment = this.#segments.at(-1);
    for (const [at, { meta, frame, resolve }] of group.entries()) {
      const seq = this.#nextSeq++;
      if (segment !== undefined) {
        segment.lastSeq = seq;
        segment.lastAtMs = meta.at;
        segment.tables.set(`${meta.orgId}/${meta.type}`, seq);
      }
      try {
        this.#options.committed(seq, meta, frame.rows);
      } catch (error) {
        for (const { reject } of group.slice(at)) reject(unconfirmed(error));
        throw error;
      }
      resolve();
    }
  }

  async #writable(): Promise<{ file: SegmentFile; segment: SegmentInfo }> {
    const present = this.#segments.at(-1);
    if (this.#file !== undefined && present !== undefined) {
      const full = present.bytes >= this.#options.segmentBytes || (this.#rotateAsked && present.bytes > 0);
      if (!full) return { file: this.#file, segment: present };
      const file = this.#file;
      this.#file = undefined;
      await file.close();
    }
    return this.#begin();
  }

  async #begin(): Promise<{ file: SegmentFile; segment: SegmentInfo }> {
    const segment = newSegmentInfo(this.#options.dir, this.#nextSeq);
    const file = await this.#options.create(segment.path);
    this.#rotateAsked = false;
    this.#file = file;
    this.#segments.push(segment);
    return { file, segment };
  }

  async #cutOff(file: SegmentFile, segment: SegmentInfo): Promise<void> {
    try {
      await file.truncate(segment.bytes);
      await file.datasync();
    } catch {
      await this.#abandon(file, segment);
    }
  }

  /** Stops using a file that can't be trusted, and discards the bytes after its last acknowledged batch. */
  async #abandon(file: SegmentFile, segment: SegmentInfo): Promise<void> {
    this.#file = undefined;
    const attempts = [() => file.truncate(segment.bytes), () => file.close(), () => this.#replace(segment)];
    for (const attempt of attempts) {
      try {
        await attempt();
      } catch (error) {
        this.#options.log.error({ err: error, segment: segment.path }, "could not leave a failed log segment cleanly");
      }
    }
  }

  /**
   * Begins a new segment with the number of the rejected batch. A segment without batches is deleted first, because the new
   * one gets its name.
   */
  async #replace(segment: SegmentInfo): Promise<void> {
    if (segment.lastSeq < segment.firstSeq) {
      await rm(segment.path, { force: true });
      this.#segments.splice(this.#segments.indexOf(segment), 1);
    }
    await this.#begin();
  }

  async #checkSpace(bytes: number): Promise<void> {
    this.#unchecked += bytes;
    if (this.#unchecked < SPACE_CHECK_BYTES) return;
    await this.#requireSpace();
    this.#unchecked = 0;
  }

  async #requireSpace(): Promise<void> {
    const { bavail, bsize } = await statfs(this.#options.dir);
    if (bavail * bsize >= this.#options.diskFreeBytesMin) return;
    this.#unchecked = Number.POSITIVE_INFINITY;
    throw Object.assign(new Error("less space is free than the store reserves for queries"), { code: "ENOSPC" });
  }

  #refusal(error: unknown): Problem {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const full = DISK_FULL_CODES.has(code);
    const detail = full
      ? "cannot keep the entries: the disk is full; nothing of this request was kept, send it again later"
      : "cannot keep the entries: writing to the disk failed; nothing of this request was kept, send it again later";
    if (this.#failure === undefined) this.#options.log.error({ err: error }, "cannot write to the telemetry log");
    const failed = `writing to the disk failed (${code === "" ? "unknown error" : code})`;
    this.#failure = { reason: healthReasonOf(error), detail: full ? "the disk is full" : failed };
    return new Problem(full ? "disk_full" : "unavailable", detail, { retryAfterS: 5, cause: error });
  }
}

function unconfirmed(cause: unknown): Problem {
  const detail =
    "cannot confirm the entries: they are on disk, but the server stops; send them again with the same key";
  return new Problem("unavailable", detail, { retryAfterS: 5, cause });
}

function overloaded(): Problem {
  const detail = "cannot keep the entries: the disk can't keep up with new entries; send them again later";
  return new Problem("unavailable", detail, { retryAfterS: 1 });
}
