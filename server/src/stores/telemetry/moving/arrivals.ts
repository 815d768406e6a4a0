import type { Clock } from "#kernel/time.ts";
import { TELEMETRY_TYPES } from "../columns.ts";
import type { ParquetFiles } from "../compaction/files.ts";
import type { Tables } from "../hot/tables.ts";
import { layoutOf } from "../layout.ts";
import type { Manifest } from "../manifest.ts";
import { restoreTable } from "../startup.ts";
import { arrivingTelemetry, type ArrivedTelemetry, type ArrivingFile } from "./arrive.ts";

interface OpenStore {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly tables: Tables;
  readonly manifest: Manifest;
  readonly files: ParquetFiles;
  readonly lifecycle: { refresh(): Promise<void> };
}

/** Returns a function that copies Parquet files into a directory that this process has open. */
export function arrivalsIn({ dataDir, clock, tables, manifest, files: parquet, lifecycle }: OpenStore) {
  return async (
    orgId: string,
    files: readonly ArrivingFile[],
    copied: (file: ArrivingFile) => void,
  ): Promise<ArrivedTelemetry> => {
    const arrived = await arrivingTelemetry({ dataDir, clock, isOpen: true }, orgId, files, copied);
    const finish = async (): Promise<void> => {
      await arrived.finish();
      for (const type of TELEMETRY_TYPES) {
        const table = tables.byName(`${orgId}/${type}`);
        if (table === undefined) await restoreTable(layoutOf(dataDir), manifest, tables, { orgId, type });
        else await parquet.reload(table);
      }
      await lifecycle.refresh();
    };
    return { ...arrived, finish };
  };
}
