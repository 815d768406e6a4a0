import type { Clock } from "#kernel/time.ts";
import { openPostgres } from "./postgres/store.ts";
import { openSqlite } from "./sqlite/store.ts";
import type { MetadataStore } from "./types.ts";

export interface MetadataOptions {
  /** `postgres://…` or `postgresql://…`; undefined for SQLite. */
  url: string | undefined;
  /** Where SQLite keeps `mooring.db`; made when it is absent. */
  dataDir: string;
  clock: Clock;
}

/** Opens the metadata store and brings its schema up to date. Rejects when the database can't be reached, or is newer than this version. */
export async function openMetadata(options: MetadataOptions): Promise<MetadataStore> {
  const { url, dataDir, clock } = options;
  if (url === undefined) return openSqlite({ dataDir, clock });
  if (/^postgres(ql)?:\/\//.test(url)) return openPostgres({ url, clock });
  throw new Error(
    "cannot open the metadata store: its URL must begin with postgres:// (leave it out to use SQLite in the data directory)",
  );
}
