import { mkdir, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import type { ScheduledWork } from "#stores/jobs/index.ts";
import { Piece, type PieceHeader } from "./piece.ts";
import type { SpoolOptions } from "./options.ts";
import { recoverPieces, type Gap } from "./recover.ts";
import { moveRows, type SealedPiece } from "./sealed.ts";
import { SPOOL_TABLE_NAMES, type SpoolTable } from "./tables.ts";

/** Why rows were lost. */
export type LossReason = "disk" | "spool" | "size";

export interface SpoolFigures {
  readonly rows: Readonly<Record<SpoolTable, number>>;
  readonly lost: Readonly<Record<LossReason, number>>;
  readonly bytes: number;
}

const ROW_CHARS_MAX = 64 * 1024;
/** UTF-8 has at most three bytes for each unit of UTF-16. The rest is for the members that are added. */
const LINE_BYTES_MAX = 3 * ROW_CHARS_MAX + 1024;
/** Numbers are reserved in steps, so that a start after a power cut knows how many rows can be missing. */
const RESERVED_ROWS = 4096;
/** Numbers of rows begin at the time of the start, so that they also grow from one run to the next. */
const SEQ_PER_MS = 1000;

/**
 * Takes rows that the server writes about its own requests. `record` writes a row to a file at once and waits for nothing, so
 * it costs about two microseconds, and the row survives the end of the process. The file is flushed within a second. Then its rows
 * move to the log, and from there they are stored like telemetry.
 */
export class Spool {
  readonly #options: SpoolOptions;
  readonly #line = Buffer.allocUnsafeSlow(LINE_BYTES_MAX);
  readonly #rows = Object.fromEntries(SPOOL_TABLE_NAMES.map((name) => [name, 0])) as Record<SpoolTable, number>;
  readonly #lost = { disk: 0, spool: 0, size: 0 };
  readonly #work: ScheduledWork;
  #current: Piece;
  /** The oldest first. */
  #sealed: SealedPiece[];
  #nextSeq: number;
  #flushedSeq: number;
  #reservedSeq: number;
  #isAsked = false;
  #isDiskShort = false;
  #isFailing = false;
  #isClosed = false;
  /** Flushes and moves run one after the other. */
  #last: Promise<void> = Promise.resolve();
  #queued: Promise<void> | undefined;

  private constructor(options: SpoolOptions, firstSeq: number, current: Piece, earlier: readonly SealedPiece[]) {
    this.#options = options;
    this.#current = current;
    this.#sealed = [...earlier];
    this.#nextSeq = firstSeq;
    this.#flushedSeq = firstSeq;
    this.#reservedSeq = firstSeq + RESERVED_ROWS;
    this.#work = options.schedule.add("spool", {
      everyMs: options.settings.flushMs,
      run: () => this.#run(),
      failed: (error) => this.#failed(error),
      onlyAsked: true,
    });
  }

  /**
   * Moves the rows of earlier runs to the log, and begins. Rows that the log does not take now are moved later.
   * @returns also the gap, if rows may be missing since a power cut
   */
  static async open(options: SpoolOptions): Promise<{ spool: Spool; gap: Gap | undefined }> {
    await mkdir(options.dir, { recursive: true, mode: 0o700 });
    const { gap, throughSeq, pieces } = await recoverPieces(options);
    const firstSeq = Math.max(options.clock.nowMs() * SEQ_PER_MS, throughSeq);
    const header = newHeader(options, firstSeq, firstSeq + RESERVED_ROWS);
    const piece = await Piece.create(pathOf(options.dir, firstSeq), header);
    const spool = new Spool(options, firstSeq, piece, pieces);
    await spool.drain().catch((error: unknown) => spool.#failed(error));
    return { spool, gap };
  }

  /** Records a row: the text of a JSON object with at least one member. Never throws and never waits. */
  record(table: SpoolTable, orgId: string, row: string): void {
    const { settings, node } = this.#options;
    if (this.#isClosed) return;
    if (row.length > ROW_CHARS_MAX) return this.#lose("size");
    if (this.#isDiskShort) return this.#lose("disk");
    if (this.bytes > settings.bytesMax) return this.#lose("spool");
    const text = `${table} ${orgId} {"seq":${this.#nextSeq},"node":"${node}",${row.slice(1)}\n`;
    try {
      this.#current.write(this.#line, this.#line.write(text));
    } catch (error) {
      this.#lose("disk");
      return this.#failed(error);
    }
    this.#nextSeq += 1;
    this.#rows[table] += 1;
    if (this.#nextSeq >= this.#reservedSeq || this.#current.bytes >= settings.pieceBytes) this.#work.ask(0);
    else this.#askOnce();
  }

  /** Moves all rows to the log that were recorded before the call. @throws Error when the log does not take them */
  drain(): Promise<void> {
    this.#queued ??= this.#after(async () => {
      this.#queued = undefined;
      await this.#drain();
    });
    return this.#queued;
  }

  get bytes(): number {
    return this.#sealed.reduce((sum, piece) => sum + piece.bytes, this.#current.bytes);
  }

  figures(): SpoolFigures {
    return { rows: { ...this.#rows }, lost: { ...this.#lost }, bytes: this.bytes };
  }

  /** Moves all rows to the log. Rows that it does not take stay for the next start. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    await this.#work.stop();
    await this.drain().catch((error: unknown) => this.#failed(error));
    this.#isClosed = true;
    await this.#after(async () => {
      const piece = this.#current;
      await piece.flush({ ...this.#header(piece.firstSeq), isClosed: true });
      await piece.close();
      if (piece.rows === 0 && this.#sealed.length === 0) await rm(piece.path, { force: true });
    }).catch((error: unknown) => this.#failed(error));
  }

  #lose(reason: LossReason): void {
    this.#lost[reason] += 1;
    this.#askOnce();
  }

  #askOnce(): void {
    if (!this.#isAsked) this.#work.ask();
    this.#isAsked = true;
  }

  async #run(): Promise<void> {
    this.#isAsked = false;
    const { settings, clock, dir } = this.#options;
    const { bavail, bsize } = await statfs(dir);
    this.#isDiskShort = bavail * bsize < settings.diskFreeBytesMin;
    const { bytes, openedMs, rows } = this.#current;
    const isOld = rows > 0 && clock.nowMs() - openedMs >= settings.pieceMs;
    if (isOld || bytes >= settings.pieceBytes || this.#sealed.length > 0) await this.drain();
    else await this.#after(() => this.#flush());
    this.#isFailing = false;
    if (this.#current.rows > 0) this.#work.ask(settings.pieceMs);
  }

  async #flush(): Promise<void> {
    if (this.#nextSeq === this.#flushedSeq) return;
    await this.#current.flush(this.#header(this.#current.firstSeq));
  }

  /** Reserves numbers for some times as many rows as came since the last flush. */
  #header(firstSeq: number): PieceHeader {
    const came = this.#nextSeq - this.#flushedSeq;
    this.#flushedSeq = this.#nextSeq;
    this.#reservedSeq = Math.max(this.#reservedSeq, this.#nextSeq + Math.max(RESERVED_ROWS, 4 * came));
    return newHeader(this.#options, firstSeq, this.#reservedSeq);
  }

  async #drain(): Promise<void> {
    if (this.#current.rows > 0) await this.#seal();
    for (const piece of this.#sealed) {
      await moveRows(this.#options, piece);
      this.#sealed = this.#sealed.filter((each) => each !== piece);
      await rm(piece.path, { force: true });
    }
  }

  /**
   * Makes new rows go to a new file, which is durable before the old one is deleted. So a start after a power cut always
   * finds a file.
   */
  async #seal(): Promise<void> {
    const { dir } = this.#options;
    const path = pathOf(dir, this.#nextSeq);
    const header = this.#header(this.#nextSeq);
    const [next] = await Promise.all([
      Piece.create(path, header),
      this.#current.flush(this.#header(this.#current.firstSeq)),
    ]);
    const full = this.#current;
    this.#current = next;
    this.#sealed = [...this.#sealed, { path: full.path, bytes: full.bytes, isEarlier: false, moved: new Set() }];
    await full.close();
  }

  #after(run: () => Promise<void>): Promise<void> {
    const running = this.#last.then(run);
    this.#last = running.catch(() => undefined);
    return running;
  }

  /** Logs each outage only once. */
  #failed(error: unknown): void {
    if (!this.#isFailing) this.#options.log.warn({ err: error }, "cannot write rows of the server's own tables");
    this.#isFailing = true;
    this.#work.ask();
  }
}

function newHeader({ boot, clock }: SpoolOptions, firstSeq: number, reservedSeq: number): PieceHeader {
  return { boot, firstSeq, reservedSeq, flushedMs: clock.nowMs(), isClosed: false };
}

function pathOf(dir: string, firstSeq: number): string {
  return join(dir, `${String(firstSeq).padStart(20, "0")}.rows`);
}
