import { writeSync } from "node:fs";
import { open, rm, type FileHandle } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { syncDirectory } from "#stores/directory/index.ts";
import { isSpoolTable, type SpoolTable } from "./tables.ts";

/** The first line of a piece: JSON, filled with spaces. It is written again with each flush. */
export interface PieceHeader {
  /** Identifies the run of the machine, so that a start can tell a killed process from a power cut. Null: unknown. */
  readonly boot: string | null;
  /** The number of the first row. */
  readonly firstSeq: number;
  /** No row of this run had a number from here on when the header was written. */
  readonly reservedSeq: number;
  /** When the rows before this header were flushed. */
  readonly flushedMs: number;
  /** True: the server stopped by itself, and no row is missing. */
  readonly isClosed: boolean;
}

export const HEADER_BYTES = 256;
const NEWLINE = 10;
const SPACE = 32;
const OPENING = 123;
const CLOSING = 125;

/** A file of the spool that rows are added to. */
export class Piece {
  readonly path: string;
  readonly #handle: FileHandle;
  #size = HEADER_BYTES;
  rows = 0;
  readonly openedMs: number;
  readonly firstSeq: number;

  private constructor(path: string, handle: FileHandle, { flushedMs, firstSeq }: PieceHeader) {
    this.path = path;
    this.#handle = handle;
    this.openedMs = flushedMs;
    this.firstSeq = firstSeq;
  }

  /** Creates the file durably, so that a start after a power cut finds it even without rows. */
  static async create(path: string, header: PieceHeader): Promise<Piece> {
    const handle = await open(path, "wx+", 0o600);
    const piece = new Piece(path, handle, header);
    try {
      await piece.flush(header);
      await syncDirectory(dirname(path));
      return piece;
    } catch (error) {
      await handle.close();
      await rm(path, { force: true });
      throw error;
    }
  }

  get name(): string {
    return basename(this.path);
  }

  get bytes(): number {
    return this.#size;
  }

  /**
   * Adds a row. It survives the end of the process, because the operating system has it.
   * @throws Error when it can't be written; the next row then overwrites the written part
   */
  write(line: Uint8Array, length: number): void {
    const written = writeSync(this.#handle.fd, line, 0, length, this.#size);
    if (written !== length) throw new Error("cannot write a whole row: the disk is full");
    this.#size += length;
    this.rows += 1;
  }

  /** Writes the header, and flushes it and all earlier rows. */
  async flush(header: PieceHeader): Promise<void> {
    const text = `${JSON.stringify(header).padEnd(HEADER_BYTES - 1)}\n`;
    await this.#handle.write(text, 0);
    await this.#handle.datasync();
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}

/** Rows of one organization and table, in the order in which they were recorded. */
export interface Group {
  readonly table: SpoolTable;
  readonly orgId: string;
  readonly rows: Buffer;
  readonly count: number;
}

export interface PieceContent {
  readonly groups: readonly Group[];
  readonly rows: number;
  /** Lines that are not rows, after a power cut. */
  readonly damaged: number;
}

/** Returns the header, or undefined when the file is too damaged. */
export function headerOf(bytes: Buffer): PieceHeader | undefined {
  try {
    return JSON.parse(bytes.toString("utf8", 0, HEADER_BYTES)) as PieceHeader;
  } catch {
    return undefined;
  }
}

interface Part {
  readonly table: SpoolTable;
  readonly orgId: string;
  readonly chunks: Buffer[];
  count: number;
}

/** Rows of one part that follow each other. */
interface Series {
  readonly part: Part;
  /** The bytes before each row. */
  readonly prefix: Buffer;
  readonly from: number;
  to: number;
}

/**
 * Separates the rows by organization and table. A last line without its end was never recorded, so it is left out. Moves rows
 * within `bytes`, so that rows of one part that follow each other are one chunk.
 * @param isWhole checks the text of a row; without it, rows are not read
 */
export function contentOf(bytes: Buffer, isWhole?: (row: string) => boolean): PieceContent {
  const parts = new Map<string, Part>();
  let [rows, damaged] = [0, 0];
  let series: Series | undefined;
  const finish = (): void => void series?.part.chunks.push(bytes.subarray(series.from, series.to));
  for (let at = HEADER_BYTES, end; (end = bytes.indexOf(NEWLINE, at)) >= 0; at = end + 1) {
    if (series === undefined || !hasPrefix(bytes, at, end, series.prefix)) {
      finish();
      series = seriesAt(bytes, at, end, parts);
    }
    const rowAt = at + (series?.prefix.length ?? 0);
    const isRow = series !== undefined && bytes[rowAt] === OPENING && bytes[end - 1] === CLOSING;
    if (series === undefined || !isRow || isWhole?.(bytes.toString("utf8", rowAt, end)) === false) {
      damaged += 1;
      continue;
    }
    bytes.copyWithin(series.to, rowAt, end + 1);
    series.to += end + 1 - rowAt;
    series.part.count += 1;
    rows += 1;
  }
  finish();
  const groups = [...parts.values()]
    .filter(({ count }) => count > 0)
    .map(({ table, orgId, chunks, count }) => ({ table, orgId, count, rows: Buffer.concat(chunks) }));
  return { groups, rows, damaged };
}

function hasPrefix(bytes: Buffer, at: number, end: number, prefix: Buffer): boolean {
  const to = at + prefix.length;
  return to < end && bytes.compare(prefix, 0, prefix.length, at, to) === 0;
}

function seriesAt(bytes: Buffer, at: number, end: number, parts: Map<string, Part>): Series | undefined {
  const tableEnd = bytes.indexOf(SPACE, at);
  const rowAt = bytes.indexOf(SPACE, tableEnd + 1) + 1;
  if (tableEnd < 0 || rowAt <= 0 || rowAt >= end) return undefined;
  const name = bytes.toString("latin1", at, rowAt);
  const [table = "", orgId = ""] = name.split(" ");
  if (!isSpoolTable(table) || !/^[A-Za-z0-9_-]{1,64}$/.test(orgId)) return undefined;
  const part = parts.get(name) ?? { table, orgId, chunks: [], count: 0 };
  parts.set(name, part);
  return { part, prefix: Buffer.from(name, "latin1"), from: at, to: at };
}
