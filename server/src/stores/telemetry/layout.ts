import { join } from "node:path";
import type { StoredTable } from "./spool/tables.ts";

/**
 * The tree on disk, under the data directory:
 *
 * ```
 * telemetry/
 *   store-id                               names the directory in the metadata store; created once
 *   lock                                   held while a process has the directory open
 *   wal/<first seq, 20 digits>.wal         the log, which has all rows that are not in Parquet yet
 *   hot/<org>/<type>/<first>-<last>.ndjson rows of the log as queries read them; wiped at start
 *   parquet/<org>/<type>/<first>-<last>-<id>.parquet
 *   replacing/<id>.json                    planned replacements of files, until they are committed
 *   spool/<first row, 20 digits>.rows      rows of the server's own tables that the log does not have yet
 *   records/<org>/<table>/<n>.ndjson       records of the metadata store as queries read them; wiped at start
 *   work/                                  unfinished files; wiped at start
 *   quarantine/                            files that could not be read or compacted, kept for a person to examine
 * ```
 */
export interface Layout {
  readonly dataDir: string;
  readonly root: string;
  readonly storeId: string;
  readonly lock: string;
  readonly wal: string;
  readonly hot: string;
  readonly parquet: string;
  readonly replacing: string;
  readonly spool: string;
  readonly records: string;
  readonly work: string;
  readonly quarantine: string;
}

export function layoutOf(dataDir: string): Layout {
  const root = join(dataDir, "telemetry");
  return {
    dataDir,
    root,
    storeId: join(root, "store-id"),
    lock: join(root, "lock"),
    wal: join(root, "wal"),
    hot: join(root, "hot"),
    parquet: join(root, "parquet"),
    replacing: join(root, "replacing"),
    spool: join(root, "spool"),
    records: join(root, "records"),
    work: join(root, "work"),
    quarantine: join(root, "quarantine"),
  };
}

const SEGMENT_NAME = /^(\d{20})\.wal$/;

export function segmentName(firstSeq: number): string {
  return `${String(firstSeq).padStart(20, "0")}.wal`;
}

/** Returns the first sequence number that a segment may hold, or undefined when the name is not that of a segment. */
export function segmentFirstSeq(name: string): number | undefined {
  const match = SEGMENT_NAME.exec(name);
  return match === null ? undefined : Number(match[1]);
}

export function hotFileName(firstSeq: number, lastSeq: number): string {
  return `${firstSeq}-${lastSeq}.ndjson`;
}

/** Reads the range of batches from the name of a hot file, even if the file is incomplete. */
export function hotFileRange(name: string): { firstSeq: number; lastSeq: number } | undefined {
  const match = /^(\d+)-(\d+)\.ndjson/.exec(name);
  return match === null ? undefined : { firstSeq: Number(match[1]), lastSeq: Number(match[2]) };
}

/** Returns the path of a Parquet file relative to the telemetry directory, as the manifest stores it. */
export function parquetPath(orgId: string, type: StoredTable, firstSeq: number, lastSeq: number, id: string): string {
  return `parquet/${orgId}/${type}/${firstSeq}-${lastSeq}-${id}.parquet`;
}

/** Reads the range of batches from the name of a Parquet file. */
export function parquetRange(name: string): { firstSeq: number; lastSeq: number } | undefined {
  const match = /^(\d+)-(\d+)-[^/]+\.parquet$/.exec(name);
  return match === null ? undefined : { firstSeq: Number(match[1]), lastSeq: Number(match[2]) };
}

/** Folders have the names of organizations, so a name must not have other characters than an identifier. */
export function assertPathSafe(orgId: string): void {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(orgId)) throw new Error("an organization's identifier must be safe in a path");
}
