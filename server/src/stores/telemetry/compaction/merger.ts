import { statfs } from "node:fs/promises";
import type { Table } from "../hot/table.ts";
import type { Layout } from "../layout.ts";
import { ManifestChanged } from "../manifest.ts";
import type { ParquetFile } from "../parquet-file.ts";
import type { TelemetryLog, TelemetrySettings } from "../settings.ts";
import type { AskedAttributes } from "./asked.ts";
import type { ParquetFiles } from "./files.ts";
import type { Merge } from "./merge-plan.ts";
import type { CompactionRunner, MadeFile, MergeInput } from "./protocol.ts";
import { assertAllRows, makeWorkFolder, removeWork } from "./work.ts";

export interface MergerOptions {
  readonly layout: Layout;
  readonly files: ParquetFiles;
  readonly asked: AskedAttributes;
  readonly runner: CompactionRunner;
  readonly settings: TelemetrySettings;
  readonly log: TelemetryLog;
}

/** Additional disk space of a sort, for each byte of compressed input. */
const SPILL_FACTOR = 4;

/** Merges Parquet files into one. */
export class Merger {
  readonly #options: MergerOptions;
  merges = 0;
  mergedBytes = 0;

  constructor(options: MergerOptions) {
    this.#options = options;
  }

  /** @throws Error when it failed; then nothing has changed, or the result is unknown */
  async merge(table: Table, { period, inputs }: Merge): Promise<void> {
    const { files, log } = this.#options;
    await files.settle(table);
    if (!inputs.every((file) => table.parquet.includes(file))) return;
    await this.#ensureSpace(inputs);
    const made = await this.#make(table, inputs);
    try {
      await files.replace(table, inputs, made);
    } catch (error) {
      if (!(error instanceof ManifestChanged)) throw error;
      // Retention or an erasure was faster. The rest of the inputs is planned again.
      log.debug({ org_id: table.orgId, type: table.type, period }, "the inputs of a merge were replaced meanwhile");
      return;
    }
    const bytes = made.reduce((sum, file) => sum + file.bytes, 0);
    this.merges += 1;
    this.mergedBytes += bytes;
    const fields = { org_id: table.orgId, type: table.type, period, inputs: inputs.length, files: made.length, bytes };
    log.info(fields, "merged telemetry files");
  }

  async #make(table: Table, inputs: readonly ParquetFile[]): Promise<readonly MadeFile[]> {
    const { layout, runner, asked, settings } = this.#options;
    const outputDir = await makeWorkFolder(layout);
    for (const { held } of inputs) held.hold();
    try {
      const made = await runner.run({
        kind: "merge",
        type: table.type,
        inputs: inputs.map(mergeInput),
        outputDir,
        asked: asked.of(table.orgId, table.type),
        cutBytes: settings.merge.smallBytes,
      });
      assertAllRows(
        inputs.reduce((sum, { rows }) => sum + rows, 0),
        made,
      );
      return made;
    } catch (error) {
      await removeWork(outputDir);
      throw error;
    } finally {
      for (const { held } of inputs) held.letGo();
    }
  }

  async #ensureSpace(inputs: readonly ParquetFile[]): Promise<void> {
    const { layout, settings } = this.#options;
    const needed = inputs.reduce((sum, { bytes }) => sum + bytes, 0) * SPILL_FACTOR;
    const { bavail, bsize } = await statfs(layout.root);
    if (bavail * bsize < settings.diskFreeBytesMin + needed)
      throw new Error("cannot merge telemetry files: the disk is nearly full");
  }
}

function mergeInput({ held, rows, minUs, maxUs, promoted }: ParquetFile): MergeInput {
  return { path: held.path, rows, minUs, maxUs, promoted };
}
