import { mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "#kernel/time.ts";
import { COLUMNS, promotedColumn, type TelemetryType } from "../../columns.ts";
import type { ParquetInput, Snapshot, SnapshotTable, TimeRange, WantedTables } from "../../snapshot.ts";
import { createQueryEngine, defaultQuerySettings, type QueryEngine, type QueryEngineSettings } from "../index.ts";
import { duckdb } from "./harness.ts";

type Row = Readonly<Record<string, unknown>>;

/** A Parquet file of a test; `promoted` attributes get separate columns. */
export interface TestFile {
  readonly type: TelemetryType;
  readonly rows: readonly Row[];
  readonly promoted?: readonly string[];
  /** Severities as an older server wrote them. */
  readonly oldSpellings?: boolean;
}

export interface FilesEngine {
  engine(overrides?: Partial<QueryEngineSettings>): QueryEngine;
  /** The attributes that statements have asked for, the newest last. */
  readonly asked: { readonly type: TelemetryType; readonly keys: readonly string[] }[];
  close(): Promise<void>;
}

/** Opens engines over many files, to compare their answers. */
export async function openFiles(
  files: readonly TestFile[],
  hot: Partial<Record<TelemetryType, readonly Row[]>>,
): Promise<FilesEngine> {
  const directory = await mkdtemp(join(tmpdir(), "mooring-files-"));
  await mkdir(join(directory, "files"));
  const parquet = await writeFiles(join(directory, "files"), files);
  const tables = {} as Record<TelemetryType, SnapshotTable>;
  for (const type of ["logs", "metrics", "traces"] as const) {
    const ofType = parquet.filter((_, i) => files[i]?.type === type);
    const hotFiles = [];
    const rows = hot[type] ?? [];
    if (rows.length > 0) {
      const path = join(directory, `${type}.ndjson`);
      await writeFile(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
      hotFiles.push({ path, rows: rows.length, bytes: (await stat(path)).size });
    }
    tables[type] = { parquet: ofType, hot: hotFiles, filesTotal: ofType.length + hotFiles.length };
  }
  const asked: FilesEngine["asked"] = [];
  const engines: QueryEngine[] = [];
  return {
    asked,
    engine: (overrides = {}) => {
      const made = createQueryEngine({
        settings: { ...defaultQuerySettings(directory), ...overrides },
        log: { debug: none, info: none, warn: none, error: none },
        clock: systemClock,
        snapshot: (_orgId, wanted) => Promise.resolve(snapshotOf(tables, wanted)),
        asked: (_orgId, type, keys) => asked.push({ type, keys }),
      });
      engines.push(made);
      return made;
    },
    close: async () => {
      await Promise.all(engines.map((engine) => engine.close()));
      await rm(directory, { recursive: true });
    },
  };
}

function none(): void {}

function snapshotOf(tables: Readonly<Record<TelemetryType, SnapshotTable>>, wanted: WantedTables): Snapshot {
  const part = (type: TelemetryType): SnapshotTable => {
    const [table, range] = [tables[type], wanted[type]];
    if (range === undefined) return { parquet: [], hot: [], filesTotal: 0 };
    return { ...table, parquet: table.parquet.filter((file) => overlaps(file, range)) };
  };
  return { tables: { logs: part("logs"), metrics: part("metrics"), traces: part("traces") }, release: none };
}

function overlaps({ minUs, maxUs }: ParquetInput, { fromUs = -Infinity, toUs = Infinity }: TimeRange): boolean {
  return maxUs >= fromUs && minUs < toUs;
}

async function writeFiles(directory: string, files: readonly TestFile[]): Promise<ParquetInput[]> {
  const statements: string[] = [];
  const paths = files.map((_, i) => join(directory, `${i}.parquet`));
  for (const [i, { type, rows, promoted = [] }] of files.entries()) {
    const source = join(directory, `${i}.ndjson`);
    await writeFile(source, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    const columns = COLUMNS[type].map((column) => `'${column.name}': '${column.type}'`).join(", ");
    const own = promoted
      .map((key) => `, attributes->>'${key.replaceAll("'", "''")}' AS "${promotedColumn(key)}"`)
      .join("");
    statements.push(
      `COPY (SELECT *${own} FROM read_json('${source}', format = 'newline_delimited', columns = {${columns}})) TO '${paths[i]}' (FORMAT parquet)`,
    );
  }
  await duckdb(...statements);
  return Promise.all(
    files.map(async ({ rows, promoted = [], oldSpellings = false }, i) => {
      const path = paths[i] ?? "";
      const times = rows.map((row) => Date.parse(String(row["timestamp"])) * 1000);
      const [minUs, maxUs] = [Math.min(...times), Math.max(...times) + 999];
      return { path, rows: rows.length, bytes: (await stat(path)).size, minUs, maxUs, promoted, oldSpellings };
    }),
  );
}
