import type { Clock } from "#kernel/time.ts";
import { openMetadata, startAnalysis, type MetadataOptions, type MetadataStore } from "#stores/metadata/index.ts";
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
export async function openRecords(config: Config, clock: Clock, phases: Phases): Promise<MetadataStore> {
  const metadata = phases.started("metadata", await openCurrentRecords(config, clock), (part) => part.close());
  phases.started("analysis of the records", startAnalysis(metadata), async (stop) => stop());
  return metadata;
}
