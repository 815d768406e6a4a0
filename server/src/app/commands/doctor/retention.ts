import { existsSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "#kernel/time.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { guardBeside } from "../../clock.ts";
import { lateErasures, storedTelemetry } from "../store.ts";
import { withMetadata } from "../stores.ts";
import { mib, ok, warn, type Check, type CheckContext, type Found } from "./finding.ts";

/** Warns about erasures that take longer than this. */
const LATE_MS = 3_600_000;
const NEARLY_FULL = 0.9;

/** Checks that expired data is deleted, and which organizations are near their quota. */
export const RETENTION_CHECKS: readonly Check[] = [
  { name: "retention", mend: "start the database, or correct database_url", run: retention },
];

async function retention({ config }: CheckContext): Promise<Found[]> {
  if (config.database_url === null && !existsSync(join(config.data_dir, "mooring.db")))
    return [ok("nothing is stored yet")];
  return withMetadata(config, async (metadata) => {
    const stored = await storedTelemetry(metadata.read);
    const total = stored.reduce((sum, { bytes }) => sum + bytes, 0);
    const nearlyFull = stored.flatMap(({ organization, bytes, bytesMax }) => {
      const limit = bytesMax ?? config.telemetry_stored_bytes_max;
      if (limit === null || bytes < limit * NEARLY_FULL) return [];
      const detail = `${organization} has ${mib(bytes)} of the ${mib(limit)} of telemetry that its quota allows`;
      return [warn(detail, `mooring quota ${organization} --stored BYTES, or a shorter retention`)];
    });
    return [
      ok(`${mib(total)} of telemetry in Parquet`),
      ...nearlyFull,
      ...(await troubles(metadata)),
      await deletions(config.data_dir, metadata),
    ];
  });
}

async function deletions(dataDir: string, metadata: MetadataStore): Promise<Found> {
  const { trusted, reason } = (await guardBeside(dataDir, metadata)).state();
  if (trusted) return ok("the clock can be trusted: expired data is deleted");
  return warn(
    `nothing is deleted by time: ${reason ?? "the clock is in doubt"}`,
    "set the clock (NTP); if it is right: mooring clock accept",
  );
}

async function troubles(metadata: MetadataStore): Promise<Found[]> {
  const nowMs = systemClock.nowMs();
  const late = (await lateErasures(metadata.read, nowMs - LATE_MS)).map(({ id, storeId, state }) =>
    warn(
      `the erasure ${id} is ${state} in the directory ${storeId}`,
      "start the server of that directory (telemetry/store-id has its identifier), and read its log",
    ),
  );
  return late;
}
