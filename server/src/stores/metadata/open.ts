import { DEFAULT_RECORD_LIMITS, type RecordLimits } from "#kernel/record-limits.ts";
import type { Clock } from "#kernel/time.ts";
import type { Migrating } from "./migrate.ts";
import { openPostgres, type Connections } from "./postgres/store.ts";
import { openSqlite } from "./sqlite/store.ts";
import type { MetadataStore } from "./types.ts";
import { waitsOf } from "./waits.ts";

export interface MetadataOptions {
  /** `postgres://…` or `postgresql://…`; undefined for SQLite. */
  url: string | undefined;
  /** The directory of `mooring.db` for SQLite. It is created when it is missing. */
  dataDir: string;
  clock: Clock;
  /** What to do with missing migrations; "apply" when absent. */
  migrating?: Migrating | undefined;
  /** The longest time that one change waits for others; see `waitsOf`. Default 5 s. */
  waitMs?: number;
  /** The longest time of a read before it is stopped. Default 10 s. */
  readTimeoutMs?: number;
  /** The connections to PostgreSQL; 10 each when absent. */
  connections?: Connections;
  /** Missing members have the values of `kernel/record-limits.ts`. */
  limits?: Partial<RecordLimits>;
}

/**
 * Opens the metadata store and applies missing migrations, unless `migrating` forbids it. Rejects when the database
 * cannot be reached, or is newer than this version.
 */
export async function openMetadata(options: MetadataOptions): Promise<MetadataStore> {
  const { url, dataDir, clock, waitMs, readTimeoutMs, migrating, connections } = options;
  const waits = waitsOf(waitMs, readTimeoutMs);
  const limits = { ...DEFAULT_RECORD_LIMITS, ...options.limits };
  if (url === undefined) return openSqlite({ dataDir, clock, waits, limits, migrating });
  if (/^postgres(ql)?:\/\//.test(url)) return openPostgres({ url, clock, waits, limits, migrating, connections });
  throw new Error(
    "cannot open the metadata store: its URL must begin with postgres:// (leave it out to use SQLite in the data directory)",
  );
}
