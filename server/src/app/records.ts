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
import { endDeferredLinks } from "./backup/index.ts";
import type { Config } from "./config.ts";
import type { Phases } from "./phases.ts";

/** Where the records are, and how long they are waited for. */
export function recordsOf(config: Config): Omit<MetadataOptions, "clock"> {
  const {
    database_url: url,
    data_dir: dataDir,
    database_wait_ms: waitMs,
    records_read_timeout_ms: readTimeoutMs,
  } = config;
  return { url: url ?? undefined, dataDir, waitMs, readTimeoutMs, limits: recordLimitsOf(config) };
}

/** Opens the records and brings them up to this version: for `serve` and `upgrade` alone. */
export async function openCurrentRecords(config: Config, clock: Clock): Promise<MetadataStore> {
  const metadata = await openMetadata({ ...recordsOf(config), clock });
  try {
    await endDeferredLinks(config.data_dir, metadata, clock);
    return metadata;
  } catch (error) {
    await metadata.close();
    throw error;
  }
}

/** With what runs beside them. */
export async function openRecords(
  config: Config,
  clock: Clock,
  phases: Phases,
  schedule: Schedule,
): Promise<MetadataStore> {
  const metadata = phases.started("metadata", await openCurrentRecords(config, clock), (part) => part.close());
  if (metadata.dialect === "postgres") return metadata;
  // Figures only make reads faster: when they can't be had now, the next time will do.
  const work = { everyMs: ANALYSIS_EVERY_MS, run: () => metadata.write(analyze), failed: () => {} };
  const analysis = phases.started("analysis of the records", schedule.add("query plans", work), (part) => part.stop());
  analysis.ask(0);
  return metadata;
}
