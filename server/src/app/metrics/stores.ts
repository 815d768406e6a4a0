import { statfs } from "node:fs/promises";
import { DELETIONS, type Deletion } from "#kernel/deletions.ts";
import type { Metrics } from "#kernel/metrics/index.ts";
import type { ClockGuard } from "#stores/clock/index.ts";
import { countParked } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { ObjectStore } from "#stores/objects/index.ts";
import type { TelemetryStore } from "#stores/telemetry/index.ts";
import type { Skipped } from "#surfaces/telemetry/index.ts";
import { countQueries } from "./queries.ts";

interface Measured {
  readonly metadata: MetadataStore;
  readonly telemetry: TelemetryStore;
  readonly objects: ObjectStore;
  readonly clock: ClockGuard;
  readonly dataDir: string;
  readonly skipped: Skipped;
}

/** Lets each scrape read the states of the stores. */
export function readStores(
  metrics: Metrics,
  { metadata, telemetry, objects, clock, dataDir, skipped }: Measured,
): void {
  metrics.read("mooring_objects_writable", () => (objects.health().ok ? 1 : 0));
  metrics.read("mooring_ingest_skipped_total", () =>
    skipped.all().map(({ protocol, reason, total }) => [{ protocol, reason }, total]),
  );
  readTelemetry(metrics, telemetry);
  readSpool(metrics, telemetry);
  readClock(metrics, clock);
  readRecords(metrics, metadata);
  readDisk(metrics, dataDir);
}

function readTelemetry(metrics: Metrics, telemetry: TelemetryStore): void {
  metrics.read("mooring_telemetry_writable", () => (telemetry.health().ok ? 1 : 0));
  metrics.read("mooring_telemetry_log_bytes", () => telemetry.health().logBytes);
  metrics.read("mooring_telemetry_hot_rows", () => telemetry.health().hotRows);
  metrics.read("mooring_telemetry_parquet_files", () => telemetry.health().parquetFiles);
  metrics.read("mooring_telemetry_parquet_bytes", () => telemetry.health().parquetBytes);
  metrics.read("mooring_telemetry_merges_total", () => telemetry.health().merges);
  metrics.read("mooring_telemetry_merged_bytes_total", () => telemetry.health().mergedBytes);
  metrics.read("mooring_query_running", () => telemetry.health().queriesRunning);
  metrics.read("mooring_query_waiting", () => telemetry.health().queriesWaiting);
  countQueries(metrics, telemetry);
  metrics.read("mooring_query_sandbox_layer", async () =>
    (await telemetry.sandbox()).map(({ name, active }) => [{ layer: name }, active ? 1 : 0]),
  );
}

function readSpool(metrics: Metrics, telemetry: TelemetryStore): void {
  const spool = () => telemetry.health().spool;
  metrics.read("mooring_spool_rows_total", () =>
    (["access_log"] as const).map((table) => [{ table }, spool().rows[table]]),
  );
  metrics.read("mooring_spool_lost_rows_total", () =>
    (["disk", "spool", "size"] as const).map((reason) => [{ reason }, spool().lost[reason]]),
  );
  metrics.read("mooring_spool_bytes", () => spool().bytes);
}

function readClock(metrics: Metrics, clock: ClockGuard): void {
  metrics.read("mooring_clock_offset_seconds", () => clock.offsetMs() / 1000);
  metrics.read("mooring_deletions_held", () => (clock.isTrusted() ? 0 : 1));
  metrics.read("mooring_deletions_held_total", () => {
    const { held } = clock.state();
    return (Object.keys(DELETIONS) as Deletion[]).map((deletion) => [{ deletion }, held.get(deletion) ?? 0]);
  });
}

/** While the records do not answer, the number of parked jobs is left out, and the other metrics are still served. */
function readRecords(metrics: Metrics, metadata: MetadataStore): void {
  metrics.read("mooring_records_up", () =>
    metadata.ping().then(
      () => 1,
      () => 0,
    ),
  );
  metrics.read("mooring_jobs_parked", () => countParked(metadata.read));
}

function readDisk(metrics: Metrics, dataDir: string): void {
  metrics.read("mooring_data_free_bytes", async () => {
    const { bavail, bsize } = await statfs(dataDir);
    return bavail * bsize;
  });
  metrics.read("mooring_data_size_bytes", async () => {
    const { blocks, bsize } = await statfs(dataDir);
    return blocks * bsize;
  });
}
