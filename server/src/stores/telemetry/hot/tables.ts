import { join } from "node:path";
import { STORED_TABLES, type StoredTable } from "../spool/tables.ts";
import type { FrameMeta } from "../log/frame.ts";
import type { ParquetFile } from "../parquet-file.ts";
import type { TelemetryLog } from "../settings.ts";
import { type HotFile } from "./file.ts";
import { Table } from "./table.ts";

export interface TablesOptions {
  readonly hotDir: string;
  readonly hotFileBytes: number;
  readonly hotMemoryBytes: number;
  readonly log: TelemetryLog;
}

/** The rows of every organization, and the limits on what may be in memory. */
export class Tables {
  readonly #options: TablesOptions;
  readonly #tables = new Map<string, Table>();
  #activeBytes = 0;
  #hotBytes = 0;
  /** Hot bytes of each organization that has any. */
  readonly #hotBytesOf = new Map<string, number>();
  readonly #unwritten = new Set<HotFile>();

  constructor(options: TablesOptions) {
    this.#options = options;
  }

  all(): IterableIterator<Table> {
    return this.#tables.values();
  }

  byName(name: string): Table | undefined {
    return this.#tables.get(name);
  }

  ofOrganization(orgId: string): Table[] {
    return STORED_TABLES.map((type) => this.#tables.get(`${orgId}/${type}`)).filter((table) => table !== undefined);
  }

  /** Sets the state of a table from the manifest. Call it before any rows are added. */
  restore(orgId: string, type: StoredTable, compactedSeq: number, parquet: readonly ParquetFile[]): void {
    this.#tables.set(`${orgId}/${type}`, this.#newTable(orgId, type, compactedSeq, parquet));
  }

  /** Adds a batch of the log unless Parquet already has it. `rows` must not change afterwards. */
  add(seq: number, meta: FrameMeta, rows: Buffer): void {
    const table = this.#tableOf(meta.orgId, meta.type);
    if (seq <= table.compactedSeq) return;
    table.add(seq, rows, meta.count, meta.at);
    this.#activeBytes += rows.length;
    if (table.active.bytes >= this.#options.hotFileBytes) this.seal(table);
    if (this.#activeBytes > this.#options.hotMemoryBytes) this.#sealLargest();
  }

  /** Moves a table's active rows to a hot file and starts to write it. */
  seal(table: Table): void {
    this.#activeBytes -= table.active.bytes;
    const file = table.seal();
    if (file !== undefined) this.#write(file);
  }

  /** Bytes of rows that are not in Parquet. */
  get hotBytes(): number {
    return this.#hotBytes;
  }

  /** Hot bytes of each organization that has any. */
  get hotBytesOf(): ReadonlyMap<string, number> {
    return this.#hotBytesOf;
  }

  /** Bytes of sealed files that are still in memory. */
  get unwrittenBytes(): number {
    let bytes = 0;
    for (const file of this.#unwritten) bytes += file.unwrittenBytes;
    return bytes;
  }

  /** Writes every sealed file that is not written yet. Rejects when one cannot be written. */
  async written(): Promise<void> {
    await Promise.all([...this.#unwritten].map((file) => this.#settle(file)));
  }

  /** Resolves when these files are written. After a failure the next call tries again. */
  async writtenOf(files: readonly HotFile[]): Promise<void> {
    await Promise.all(files.map((file) => this.#settle(file)));
  }

  deleteFailed(path: string, error: unknown): void {
    this.#options.log.warn({ err: error, path }, "cannot delete a telemetry file");
  }

  #write(file: HotFile): void {
    this.#unwritten.add(file);
    this.#settle(file).catch((error: unknown) => {
      // The log keeps the rows durable, and memory keeps them readable. A reader that needs the file tries again.
      this.#options.log.warn({ err: error, path: file.held.path }, "cannot write a hot telemetry file");
    });
  }

  async #settle(file: HotFile): Promise<void> {
    await file.written();
    this.#unwritten.delete(file);
  }

  /**
   * Seals the largest tables until memory has space for several batches. Otherwise every batch would search many small
   * tables.
   */
  #sealLargest(): void {
    const bySize = [...this.#tables.values()].toSorted((a, b) => b.active.bytes - a.active.bytes);
    for (const table of bySize) {
      if (this.#activeBytes <= this.#options.hotMemoryBytes * 0.75) return;
      this.seal(table);
    }
  }

  #tableOf(orgId: string, type: StoredTable): Table {
    const name = `${orgId}/${type}`;
    let table = this.#tables.get(name);
    if (table === undefined) {
      table = this.#newTable(orgId, type, 0, []);
      this.#tables.set(name, table);
    }
    return table;
  }

  #newTable(orgId: string, type: StoredTable, compactedSeq: number, parquet: readonly ParquetFile[]): Table {
    const dir = join(this.#options.hotDir, orgId, type);
    const deleteFailed = (path: string, error: unknown): void => this.deleteFailed(path, error);
    const hotChanged = (bytes: number): void => this.#hotChanged(orgId, bytes);
    return new Table({ orgId, type, dir, compactedSeq, parquet, deleteFailed, hotChanged });
  }

  #hotChanged(orgId: string, bytes: number): void {
    this.#hotBytes += bytes;
    const left = (this.#hotBytesOf.get(orgId) ?? 0) + bytes;
    if (left === 0) this.#hotBytesOf.delete(orgId);
    else this.#hotBytesOf.set(orgId, left);
  }
}
