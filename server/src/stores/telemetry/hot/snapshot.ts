import { Problem } from "#kernel/problem.ts";
import { STORED_TABLES, type StoredTable } from "../spool/tables.ts";
import type { ParquetFile } from "../parquet-file.ts";
import type {
  HotInput,
  ParquetInput,
  ShownRows,
  Snapshot,
  SnapshotTable,
  TimeRange,
  WantedTables,
} from "../snapshot.ts";
import type { HeldFile, HotFile } from "./file.ts";
import type { Table } from "./table.ts";

const ALL: WantedTables = Object.fromEntries(STORED_TABLES.map((name) => [name, {}]));
const NO_FILES: SnapshotTable = { parquet: [], hot: [], filesTotal: 0 };

/**
 * Returns the files of an organization's tables that may have a wanted row at this moment. The list is made in one
 * turn, before any wait, so no append or compaction can change it. After that, rows that are only in memory are written
 * to files. The files may have rows outside of `shown`, which must stay invisible.
 * @throws Problem `unavailable` when rows in memory can't be written for the query to read
 */
export async function takeSnapshot(
  tables: readonly Table[],
  wanted: WantedTables = ALL,
  shown: Readonly<Partial<Record<StoredTable, ShownRows>>> = ALL,
): Promise<Snapshot> {
  const lists = Object.fromEntries(STORED_TABLES.map((name) => [name, NO_FILES])) as Record<StoredTable, SnapshotTable>;
  const held: HeldFile[] = [];
  const hot: HotFile[] = [];
  for (const table of tables) {
    const range = wanted[table.type];
    const { kept, ...visible }: ShownRows = shown[table.type] ?? {};
    if (range === undefined) continue;
    const tail = table.tail();
    const files = tail === undefined ? table.sealed : [...table.sealed, tail];
    const parquet = table.parquet.filter((file) => overlaps(file, range) && overlaps(file, visible));
    hot.push(...files);
    for (const file of parquet) held.push(file.held);
    for (const file of files) held.push(file.held);
    const filesTotal = table.parquet.length + files.length;
    lists[table.type] = {
      parquet: parquet.map(parquetInput),
      hot: files.map(hotInput),
      filesTotal,
      range: visible,
      kept,
    };
  }
  for (const file of held) file.hold();
  const release = once(() => {
    for (const file of held) file.letGo();
  });
  // Waits for all writes, also after one failed. No file may be written after its release.
  const written = await Promise.allSettled(hot.map((file) => file.written()));
  const failed = written.find((result) => result.status === "rejected");
  if (failed !== undefined) {
    release();
    throw unreadable(failed.reason);
  }
  return { tables: lists, release };
}

/** Returns whether a file may have rows of the range. */
export function overlaps({ minUs, maxUs }: ParquetFile, { fromUs = -Infinity, toUs = Infinity }: TimeRange): boolean {
  // The manifest cuts times to exact numbers. A file whose time was cut may have any time beyond it.
  const cut = Number.MAX_SAFE_INTEGER;
  return (maxUs >= fromUs || maxUs === cut) && (minUs < toUs || minUs === -cut);
}

function parquetInput({ held, rows, bytes, minUs, maxUs, promoted, oldSpellings }: ParquetFile): ParquetInput {
  return { path: held.path, rows, bytes, minUs, maxUs, promoted, oldSpellings };
}

function hotInput({ held, rows, bytes }: HotFile): HotInput {
  return { path: held.path, rows, bytes };
}

function unreadable(cause: unknown): Problem {
  const detail = "cannot read the newest entries: writing them to a file for the query failed; try again later";
  return new Problem("unavailable", detail, { retryAfterS: 5, cause });
}

function once(run: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    run();
  };
}
