import type { MetadataOptions } from "#stores/metadata/index.ts";
import type { Config } from "./config.ts";

/** Where the records are, and how long they are waited for. */
export function recordsOf(config: Config): Omit<MetadataOptions, "clock"> {
  const { database_url: url, data_dir: dataDir, database_wait_ms: waitMs } = config;
  return { url: url ?? undefined, dataDir, waitMs };
}
