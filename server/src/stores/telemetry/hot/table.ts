import { join } from "node:path";
import type { StoredTable } from "../spool/tables.ts";
import { hotFileName } from "../layout.ts";
import type { ParquetFile } from "../parquet-file.ts";
import { HeldFile, HotFile } from "./file.ts";
import { RowBuffer } from "./rows.ts";

export interface TableOptions {
  readonly orgId: string;
  readonly type: StoredTable;
  /** The folder of the table's hot files. */
  readonly dir: string;
  /** The last batch that is in `parquet`. */
  readonly compactedSeq: number;
  readonly parquet: readonly ParquetFile[];
  readonly deleteFailed: (path: string, error: unknown) => void;
  /** Receives each change of `hotBytes`. */
  readonly hotChanged: (bytes: number) => void;
}

/**
 * One organization's rows of one type. Every row is in exactly one place: a Parquet file, a sealed hot file, or the
 * active buffer. All changes are synchronous, so a reader between two of them sees each row once.
 */
export class Table {
  readonly orgId: string;
  readonly type: StoredTable;
  readonly #dir: string;
  readonly #deleteFailed: TableOptions["deleteFailed"];
  readonly #hotChanged: TableOptions["hotChanged"];
  compactedSeq: number;
  parquet: readonly ParquetFile[];
  sealed: readonly HotFile[] = [];
  sealedBytes = 0;
  active = new RowBuffer();
  /** A file with the active rows for queries. It is valid until rows are added. */
  #tail: HotFile | undefined;

  constructor(options: TableOptions) {
    this.orgId = options.orgId;
    this.type = options.type;
    this.#dir = options.dir;
    this.#deleteFailed = options.deleteFailed;
    this.#hotChanged = options.hotChanged;
    this.compactedSeq = options.compactedSeq;
    this.parquet = options.parquet;
  }

  /** Bytes of rows that are not in Parquet. */
  get hotBytes(): number {
    return this.sealedBytes + this.active.bytes;
  }

  get hotRows(): number {
    return this.sealed.reduce((sum, file) => sum + file.rows, this.active.rows);
  }

  get parquetBytes(): number {
    return this.parquet.reduce((sum, file) => sum + file.bytes, 0);
  }

  /** The last batch that was added. */
  get lastSeq(): number {
    return this.active.rows > 0 ? this.active.lastSeq : (this.sealed.at(-1)?.lastSeq ?? this.compactedSeq);
  }

  /**
   * The arrival time of the oldest row that is not in Parquet, in milliseconds since the epoch; undefined when there is
   * none.
   */
  get oldestAt(): number | undefined {
    if (this.sealed[0] !== undefined) return this.sealed[0].firstAt;
    return this.active.rows > 0 ? this.active.firstAt : undefined;
  }

  add(seq: number, rows: Buffer, count: number, at: number): void {
    this.active.add(seq, rows, count, at);
    this.#hotChanged(rows.length);
  }

  /** Moves the active rows to a sealed file. The caller writes the file. */
  seal(): HotFile | undefined {
    if (this.active.rows === 0) return undefined;
    const file = this.tail();
    this.#tail = undefined;
    this.active = new RowBuffer();
    if (file === undefined) return undefined;
    this.sealed = [...this.sealed, file];
    this.sealedBytes += file.bytes;
    return file;
  }

  /** Returns a file with the active rows that is not written yet. The same file is returned until rows are added. */
  tail(): HotFile | undefined {
    if (this.active.rows === 0) return undefined;
    if (this.#tail?.lastSeq === this.active.lastSeq) return this.#tail;
    this.#tail?.held.drop();
    const { bytes, rows, firstSeq, lastSeq, firstAt } = this.active;
    const path = join(this.#dir, hotFileName(firstSeq, lastSeq));
    const content = { chunks: this.active.chunks(), bytes, rows, firstSeq, lastSeq, firstAt };
    this.#tail = new HotFile(new HeldFile(path, this.#deleteFailed), content);
    return this.#tail;
  }

  /** Adds Parquet files and removes their rows from the hot files in the same turn. */
  compacted(upToSeq: number, parquet: readonly ParquetFile[]): void {
    const done = this.sealed.filter((file) => file.lastSeq <= upToSeq);
    this.sealed = this.sealed.filter((file) => file.lastSeq > upToSeq);
    this.parquet = parquet;
    this.compactedSeq = upToSeq;
    const bytes = done.reduce((sum, file) => sum + file.bytes, 0);
    this.sealedBytes -= bytes;
    this.#hotChanged(-bytes);
    for (const file of done) file.held.drop();
  }

  /** Replaces Parquet files by files that have the same rows. */
  replaced(dropped: readonly ParquetFile[], added: readonly ParquetFile[]): void {
    const gone = new Set(dropped);
    this.parquet = [...this.parquet.filter((file) => !gone.has(file)), ...added];
  }
}
