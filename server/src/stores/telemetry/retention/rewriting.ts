import type { Cutoff } from "#kernel/deletions.ts";
import type { ParquetFiles } from "../compaction/files.ts";
import type { CompactionRunner } from "../compaction/protocol.ts";
import { makeWorkFolder, removeWork } from "../compaction/work.ts";
import type { Table } from "../hot/table.ts";
import type { Layout } from "../layout.ts";
import { ManifestChanged } from "../manifest.ts";
import type { ParquetFile } from "../parquet-file.ts";
import { newestCutUs, type KeptRows } from "./plans.ts";

export interface RewritingOptions {
  readonly layout: Layout;
  readonly files: ParquetFiles;
  readonly runner: CompactionRunner;
}

/** A file is rewritten when at least this share of its rows is past. Until then they are only hidden. */
const SHARE_MIN = 0.2;
/** Each file is looked at once in this time. */
const LOOK_EVERY_MS = 86_400_000;
const BYTES_PER_HOUR = 1024 ** 3;
const HOUR_MS = 3_600_000;

/**
 * Removes rows that the rules of retention do not keep from files that also have other rows. Bounded in bytes per hour,
 * because queries hide these rows anyway.
 */
export class Rewriting {
  readonly #options: RewritingOptions;
  /** When each file was last examined, and the rules at that time. */
  readonly #looked = new WeakMap<ParquetFile, { readonly atMs: number; readonly by: string }>();
  #hour = 0;
  #bytes = 0;

  constructor(options: RewritingOptions) {
    this.#options = options;
  }

  /** Returns the numbers of removed rows and changed files. The rest is for later calls. */
  async rewrite(
    table: Table,
    kept: KeptRows,
    nowMs: Cutoff,
    isStopped: () => boolean,
  ): Promise<{ readonly rows: number; readonly files: number }> {
    const by = JSON.stringify(kept.plans.map(({ rules }) => rules.map(({ match }) => match)));
    const newestUs = newestCutUs(kept) ?? Number.POSITIVE_INFINITY;
    const removed = { rows: 0, files: 0 };
    for (const file of table.parquet) {
      if (isStopped() || !this.#mayRead(nowMs)) break;
      if (file.minUs >= newestUs || !this.#isDue(file, nowMs, by)) continue;
      this.#bytes += file.bytes;
      this.#looked.set(file, { atMs: nowMs, by });
      const rows = await this.#rewriteFile(table, file, kept);
      if (rows === 0) continue;
      removed.rows += rows;
      removed.files += 1;
    }
    return removed;
  }

  #isDue(file: ParquetFile, nowMs: number, by: string): boolean {
    const looked = this.#looked.get(file);
    return looked === undefined || looked.by !== by || nowMs - looked.atMs >= LOOK_EVERY_MS;
  }

  #mayRead(nowMs: number): boolean {
    const hour = Math.floor(nowMs / HOUR_MS);
    if (hour !== this.#hour) this.#bytes = 0;
    this.#hour = hour;
    return this.#bytes < BYTES_PER_HOUR;
  }

  async #rewriteFile(table: Table, file: ParquetFile, past: KeptRows): Promise<number> {
    const { layout, runner, files } = this.#options;
    const outputDir = await makeWorkFolder(layout);
    const { held, rows, bytes, minUs, maxUs, promoted } = file;
    const input = { path: held.path, rows, bytes, minUs, maxUs, promoted };
    const predicate = { fromUs: null, toUs: null, match: {} };
    held.hold();
    try {
      const job = {
        kind: "erase",
        type: table.type,
        outputDir,
        asked: [],
        input,
        predicate,
        past,
        shareMin: SHARE_MIN,
      } as const;
      const made = await runner.run(job);
      if (made[0] === undefined || made[0].path === held.path) await removeWork(outputDir);
      if (made[0]?.path === held.path) return 0;
      await files.replace(table, [file], made);
      return rows - made.reduce((sum, each) => sum + each.rows, 0);
    } catch (error) {
      await removeWork(outputDir);
      if (error instanceof ManifestChanged) return 0; // merged meanwhile: the merged file is looked at later
      throw error;
    } finally {
      held.letGo();
    }
  }
}
