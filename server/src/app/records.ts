import type { Clock } from "#kernel/time.ts";
import type { Schedule } from "#stores/jobs/index.ts";
import {
  analyze,
  ANALYSIS_EVERY_MS,
  openMetadata,
  type MetadataOptions,
  type MetadataStore,
} from "#stores/metadata/index.ts";
import { recordLimitsOf } from "./limit-settings.ts";
import { applyDeletions, endDeferredLinks } from "./backup/index.ts";
import type { Config } from "./config.ts";
import type { Phases } from "./phases.ts";

/** Returns the place of the records and the time limits for them. */
export function recordsOf(config: Config): Omit<MetadataOptions, "clock"> {
  const {
    database_url: url,
    data_dir: dataDir,
    database_wait_ms: waitMs,
    records_read_timeout_ms: readTimeoutMs,
  } = config;
  const connections = { read: config.database_read_connections, write: config.database_write_connections };
  return { url: url ?? undefined, dataDir, waitMs, readTimeoutMs, connections, limits: recordLimitsOf(config) };
}

/** Opens the records and migrates them to this version. Only `serve` and `upgrade` do this. */
export async function openCurrentRecords(config: Config, clock: Clock): Promise<MetadataStore> {
  const metadata = await openMetadata({ ...recordsOf(config), clock });
  try {
    await endDeferredLinks(config.data_dir, metadata, clock);
    await applyDeletions(config.data_dir, { metadata, clock });
    return metadata;
  } catch (error) {
    await metadata.close();
    throw error;
  }
}

/** Opens the records and starts their periodic work. */
export async function openRecords(
  config: Config,
  clock: Clock,
  phases: Phases,
  schedule: Schedule,
): Promise<MetadataStore> {
  const metadata = phases.started("metadata", await openCurrentRecords(config, clock), (part) => part.close());
  if (metadata.dialect === "postgres") return metadata;
  // Statistics only make reads faster, so after a failure the next run is early enough.
  const work = { everyMs: ANALYSIS_EVERY_MS, run: () => metadata.write(analyze), failed: () => {} };
  const analysis = phases.started("analysis of the records", schedule.add("query plans", work), (part) => part.stop());
  analysis.ask(0);
  return metadata;
}
