import { join } from "node:path";
import { SPELLINGS_VERSION } from "#kernel/severity.ts";
import { HeldFile } from "./hot/file.ts";
import type { Layout } from "./layout.ts";
import type { ManifestFile } from "./manifest.ts";

/** A Parquet file of the manifest. */
export interface ParquetFile {
  readonly id: string;
  readonly held: HeldFile;
  readonly rows: number;
  readonly bytes: number;
  /** The range of `timestamp`, in microseconds since the epoch, limited as in `ManifestFile`. */
  readonly minUs: number;
  readonly maxUs: number;
  /** The UTC day of the newest row, for example `2026-11-20`. */
  readonly day: string;
  /** The attributes that have a separate column in the file, see `promotedColumn`. */
  readonly promoted: readonly string[];
  /** True if the severities were derived from the level names that older versions knew. */
  readonly oldSpellings: boolean;
  /** In milliseconds since the epoch. */
  readonly createdAt: number;
}

/** `deleted` is called when a deletion failed. */
export function parquetFile(
  layout: Layout,
  file: ManifestFile,
  deleted: (path: string, error: unknown) => void,
): ParquetFile {
  return {
    id: file.id,
    held: new HeldFile(join(layout.root, file.path), deleted),
    rows: file.rows,
    bytes: file.bytes,
    minUs: file.min_us,
    maxUs: file.max_us,
    day: dayOf(file.max_us),
    promoted: JSON.parse(file.promoted) as string[],
    oldSpellings: file.spellings < SPELLINGS_VERSION,
    createdAt: file.created_at,
  };
}

const US_PER_MS = 1000;
const DATE_MS_MAX = 8.64e15;

/** Returns the UTC day of a time in microseconds since the epoch, in ISO 8601. */
export function dayOf(us: number): string {
  const ms = Math.max(-DATE_MS_MAX, Math.min(DATE_MS_MAX, Math.floor(us / US_PER_MS)));
  return new Date(ms).toISOString().replace(/T.*$/, "");
}
