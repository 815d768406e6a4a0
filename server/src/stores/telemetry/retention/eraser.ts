import { basename } from "node:path";
import type { Writer } from "#stores/metadata/index.ts";
import type { ParquetFiles } from "../compaction/files.ts";
import type { CompactionRunner, MadeFile } from "../compaction/protocol.ts";
import { makeWorkFolder, removeWork } from "../compaction/work.ts";
import { overlaps } from "../hot/snapshot.ts";
import type { Table } from "../hot/table.ts";
import type { Tables } from "../hot/tables.ts";
import { parquetRange, type Layout } from "../layout.ts";
import { ManifestChanged } from "../manifest.ts";
import type { ParquetFile } from "../parquet-file.ts";
import type { ErasureTask } from "./erasure-records.ts";
import type { Predicate } from "./predicate.ts";
import { untilGone } from "./remains.ts";

export interface EraserOptions {
  readonly layout: Layout;
  readonly tables: Tables;
  readonly files: ParquetFiles;
  readonly runner: CompactionRunner;
  /** Counts erased rows in the transaction that removes them. */
  readonly count: (tx: Writer, id: string, rows: number) => Promise<void>;
}

/** How often other changes of the same files may interrupt the work. */
const INTERRUPTIONS_MAX = 100;

/**
 * Removes rows from all files of this directory. After any interruption, the next attempt continues where it stopped.
 */
export class Eraser {
  readonly #options: EraserOptions;

  constructor(options: EraserOptions) {
    this.#options = options;
  }

  /**
   * Erases matching rows of the batches up to `throughSeq`. These batches must be in Parquet and no longer in the log.
   * Resolves when no file has such a row.
   * @throws StillThere while queries read files with such rows; Error when the erasure must be tried again
   */
  async erase(task: ErasureTask, throughSeq: number): Promise<void> {
    const { layout, tables } = this.#options;
    const ours = tables.ofOrganization(task.orgId).filter(({ type }) => task.types.includes(type));
    for (const table of ours) await this.#eraseTable(table, task, throughSeq);
    await untilGone(layout, ours, throughSeq);
  }

  /** Also reads each rewritten file again, to verify that no matching row is left. */
  async #eraseTable(table: Table, task: ErasureTask, throughSeq: number): Promise<void> {
    const clean = new Set<ParquetFile>();
    for (let overtaken = 0; overtaken < INTERRUPTIONS_MAX;) {
      await this.#options.files.settle(table);
      const next = table.parquet.find((file) => !clean.has(file) && mayMatch(file, task.predicate, throughSeq));
      if (next === undefined) return;
      try {
        if (task.predicate.match.everything === true) await this.#drop(table, next, task);
        else if (await this.#isClean(table, next, task)) clean.add(next);
      } catch (error) {
        if (!(error instanceof ManifestChanged)) throw error;
        overtaken += 1; // merged meanwhile: the next round finds the file that has its rows now
      }
    }
    throw new Error("cannot erase telemetry: the files change too fast");
  }

  async #drop(table: Table, file: ParquetFile, task: ErasureTask): Promise<void> {
    const { files, count } = this.#options;
    await files.replace(table, [file], [], (tx) => count(tx, task.id, file.rows));
  }

  async #isClean(table: Table, file: ParquetFile, task: ErasureTask): Promise<boolean> {
    const { files, count } = this.#options;
    const made = await this.#make(table, file, task.predicate);
    if (made[0]?.path === file.held.path) return true;
    const kept = made.reduce((sum, { rows, cleared = 0 }) => sum + rows - cleared, 0);
    await files.replace(table, [file], made, (tx) => count(tx, task.id, file.rows - kept));
    return false;
  }

  async #make(table: Table, file: ParquetFile, predicate: Predicate): Promise<readonly MadeFile[]> {
    const { layout, runner } = this.#options;
    const outputDir = await makeWorkFolder(layout);
    const { held, rows, bytes, minUs, maxUs, promoted } = file;
    const input = { path: held.path, rows, bytes, minUs, maxUs, promoted };
    held.hold();
    try {
      const made = await runner.run({ kind: "erase", type: table.type, outputDir, asked: [], input, predicate });
      if (made[0] === undefined || made[0].path === held.path) await removeWork(outputDir);
      return made;
    } catch (error) {
      await removeWork(outputDir);
      throw error;
    } finally {
      held.letGo();
    }
  }
}

function mayMatch(file: ParquetFile, { fromUs, toUs }: Predicate, throughSeq: number): boolean {
  const range = parquetRange(basename(file.held.path));
  if (range !== undefined && range.firstSeq > throughSeq) return false;
  return overlaps(file, { fromUs: fromUs ?? undefined, toUs: toUs ?? undefined });
}
