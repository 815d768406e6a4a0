import { DELETIONS, type Deletion } from "#kernel/deletions.ts";
import type { Metrics } from "#kernel/metrics/index.ts";
import type { ClockGuard } from "#stores/clock/index.ts";
import { countParked } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { countQuarantined, type TelemetryStore } from "#stores/telemetry/index.ts";
import type { Skipped } from "#surfaces/telemetry/index.ts";
import { countQueries } from "./queries.ts";

interface Measured {
  readonly metadata: MetadataStore;
  readonly telemetry: TelemetryStore;
  readonly clock: ClockGuard;
  readonly skipped: Skipped;
  readonly dataDir: string;
}

/** Lets each scrape read the states of the stores. */
export function readStores(metrics: Metrics, { metadata, telemetry, clock, skipped, dataDir }: Measured): void {
  metrics.read("mooring_ingest_skipped_total", () =>
    skipped.all().map(({ protocol, reason, total }) => [{ protocol, reason }, total]),
  );
  metrics.read("mooring_quarantined_files", () => countQuarantined(dataDir));
  readTelemetry(metrics, telemetry);
  readSpool(metrics, telemetry);
  readClock(metrics, clock);
  readRecords(metrics, metadata);
}

function readTelemetry(metrics: Metrics, telemetry: TelemetryStore): void {
  metrics.read("mooring_telemetry_waiting_bytes", () => telemetry.health().waitingBytes);
  metrics.read("mooring_telemetry_log_bytes", () => telemetry.health().logBytes);
  metrics.read("mooring_telemetry_hot_rows", () => telemetry.health().hotRows);
  metrics.read("mooring_telemetry_parquet_files", () => telemetry.health().parquetFiles);
  metrics.read("mooring_telemetry_parquet_bytes", () => telemetry.health().parquetBytes);
  metrics.read("mooring_telemetry_merges_total", () => telemetry.health().merges);
  metrics.read("mooring_telemetry_merged_bytes_total", () => telemetry.health().mergedBytes);
  metrics.read("mooring_query_running", () => telemetry.health().queriesRunning);
  countQueries(metrics, telemetry);
  metrics.read("mooring_query_waiting", () => telemetry.health().queriesWaiting);
  metrics.read("mooring_query_sandbox_layer", async () =>
    (await telemetry.sandbox()).map(({ name, active }) => [{ layer: name }, active ? 1 : 0]),
  );
}

function readSpool(metrics: Metrics, telemetry: TelemetryStore): void {
  const spool = () => telemetry.health().spool;
  metrics.read("mooring_spool_rows_total", () =>
    (["access_log", "query_log"] as const).map((table) => [{ table }, spool().rows[table]]),
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
  metrics.read("mooring_records_writer_queue", () => metadata.writerQueue?.() ?? null);
  metrics.read("mooring_jobs_parked", () => countParked(metadata.read));
}
