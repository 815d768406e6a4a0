import { statfs } from "node:fs/promises";
import type { HotFile } from "../hot/file.ts";
import type { Table } from "../hot/table.ts";
import type { Tables } from "../hot/tables.ts";
import type { Layout } from "../layout.ts";
import type { TelemetryLog, TelemetrySettings } from "../settings.ts";
import type { AskedAttributes } from "./asked.ts";
import type { ParquetFiles } from "./files.ts";
import { isolate, type Slice } from "./isolate.ts";
import { paceOf } from "./pace.ts";
import type { CompactionRunner } from "./protocol.ts";

export interface CompactorOptions {
  readonly layout: Layout;
  readonly tables: Tables;
  readonly files: ParquetFiles;
  readonly asked: AskedAttributes;
  readonly runner: CompactionRunner;
  readonly settings: TelemetrySettings;
  readonly log: TelemetryLog;
}

/** Turns an organization's hot rows of one type into Parquet. */
export class Compactor {
  readonly #options: CompactorOptions;

  constructor(options: CompactorOptions) {
    this.#options = options;
  }

  /**
   * Compacts the current rows of the table into a file for each day, or into more files when some rows cannot be read.
   * Rows appended meanwhile stay hot.
   * @throws Error when it failed; nothing has changed then
   */
  async compact(table: Table): Promise<void> {
    const { tables, files, asked, layout, runner, settings, log } = this.#options;
    await files.settle(table);
    if (table.sealedBytes < settings.compaction.inputBytesMax) tables.seal(table);
    const input = this.#input(table);
    await tables.writtenOf(input);
    const last = input.at(-1);
    if (input[0] === undefined || last === undefined) return;
    const { orgId, type } = table;
    const origin = { orgId, type, firstSeq: input[0].firstSeq, lastSeq: last.lastSeq };
    const ensureSpace = (): Promise<void> => this.#ensureSpace();
    const slices: Slice[] = input.map((file) => ({ path: file.held.path, rows: file.rows, temporary: false }));
    const pace = paceOf(tables, settings);
    const job = { ...pace, asked: asked.of(orgId, type) };
    const { made, quarantined } = await isolate({ ...origin, job, slices, layout, runner, log, ensureSpace });
    await files.addCompacted(table, origin, made);
    const rows = made.reduce((sum, file) => sum + file.rows, 0);
    log.info({ org_id: orgId, type, rows, files: made.length, quarantined }, "compacted telemetry");
  }

  #input(table: Table): HotFile[] {
    const input: HotFile[] = [];
    let bytes = 0;
    for (const file of table.sealed) {
      bytes += file.bytes;
      if (input.length > 0 && bytes > this.#options.settings.compaction.inputBytesMax) break;
      input.push(file);
    }
    return input;
  }

  async #ensureSpace(): Promise<void> {
    const { layout, settings } = this.#options;
    const { bavail, bsize } = await statfs(layout.root);
    if (bavail * bsize <= settings.diskFreeBytesMin / 2) throw new Error("cannot compact telemetry: the disk is full");
  }
}
