import { Counter, Gauge, type Registry } from "prom-client";
import { DELETIONS, type Deletion } from "#kernel/deletions.ts";
import type { ClockGuard } from "#stores/clock/index.ts";
import type { ObjectStore } from "#stores/objects/index.ts";
import type { TelemetryStore } from "#stores/telemetry/index.ts";

/** Figures of the stores, read when `/metrics` is asked. */
export function registerGauges(
  registry: Registry,
  { telemetry, objects, clock }: { telemetry: TelemetryStore; objects: ObjectStore; clock: ClockGuard },
): void {
  const gauge = (name: string, help: string, read: () => number): void => {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  };
  gauge(
    "mooring_telemetry_log_bytes",
    "Bytes of the write-ahead log not yet in Parquet.",
    () => telemetry.health().logBytes,
  );
  gauge("mooring_telemetry_hot_rows", "Rows not yet in Parquet.", () => telemetry.health().hotRows);
  gauge("mooring_telemetry_parquet_files", "Parquet files.", () => telemetry.health().parquetFiles);
  gauge("mooring_telemetry_parquet_bytes", "Bytes of Parquet files.", () => telemetry.health().parquetBytes);
  gauge("mooring_telemetry_merges", "Merges of Parquet files since the start.", () => telemetry.health().merges);
  gauge(
    "mooring_telemetry_merged_bytes",
    "Bytes that merges have written since the start.",
    () => telemetry.health().mergedBytes,
  );
  gauge("mooring_queries_running", "Queries that run now.", () => telemetry.health().queriesRunning);
  gauge("mooring_telemetry_writable", "1 while batches can be taken.", () => (telemetry.health().ok ? 1 : 0));
  gauge("mooring_objects_writable", "1 while content of files can be taken.", () => (objects.health().ok ? 1 : 0));
  gauge("mooring_deletions_held", "1 while nothing is deleted by time, since the clock is in doubt.", () =>
    clock.isTrusted() ? 0 : 1,
  );
  gauge(
    "mooring_clock_offset_seconds",
    "How much further the clock went than time did, since the start.",
    () => clock.offsetMs() / 1000,
  );
  new Counter({
    name: "mooring_deletions_held_total",
    help: "Deletions by time that waited, since the clock was in doubt.",
    labelNames: ["deletion"],
    registers: [registry],
    collect() {
      this.reset();
      const { held } = clock.state();
      for (const deletion of Object.keys(DELETIONS) as Deletion[]) this.inc({ deletion }, held.get(deletion) ?? 0);
    },
  });
}
