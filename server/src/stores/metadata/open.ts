import { DEFAULT_RECORD_LIMITS, type RecordLimits } from "#kernel/record-limits.ts";
import type { Clock } from "#kernel/time.ts";
import type { Migrating } from "./migrate.ts";
import { openPostgres } from "./postgres/store.ts";
import { openSqlite } from "./sqlite/store.ts";
import type { MetadataStore } from "./types.ts";
import { waitsOf } from "./waits.ts";

export interface MetadataOptions {
  /** `postgres://…` or `postgresql://…`; undefined for SQLite. */
  url: string | undefined;
  /** Where SQLite keeps `mooring.db`; made when it is absent. */
  dataDir: string;
  clock: Clock;
  /** The treatment of missing migrations; "apply" when absent. */
  migrating?: Migrating | undefined;
  /** How long a change is held up by others at most; see `waitsOf`. 5 s. */
  waitMs?: number;
  /** How long a read may take before it is stopped; 10 s. */
  readTimeoutMs?: number;
  /** Those that are not named are as in `kernel/record-limits.ts`. */
  limits?: Partial<RecordLimits>;
}

/** Opens the metadata store and brings its schema up to date, unless `migrating` forbids it. Rejects when the database can't be reached, or is newer than this version. */
export async function openMetadata(options: MetadataOptions): Promise<MetadataStore> {
  const { url, dataDir, clock, waitMs, readTimeoutMs, migrating } = options;
  const waits = waitsOf(waitMs, readTimeoutMs);
  const limits = { ...DEFAULT_RECORD_LIMITS, ...options.limits };
  if (url === undefined) return openSqlite({ dataDir, clock, waits, limits, migrating });
  if (/^postgres(ql)?:\/\//.test(url)) return openPostgres({ url, clock, waits, limits, migrating });
  throw new Error(
    "cannot open the metadata store: its URL must begin with postgres:// (leave it out to use SQLite in the data directory)",
  );
}
