import { statfs } from "node:fs/promises";
import { Counter, Gauge, type Registry } from "prom-client";
import { DELETIONS, type Deletion } from "#kernel/deletions.ts";
import type { ClockGuard } from "#stores/clock/index.ts";
import { countParked } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { ObjectStore } from "#stores/objects/index.ts";
import type { TelemetryStore } from "#stores/telemetry/index.ts";
import type { Skipped } from "#surfaces/telemetry/index.ts";

interface Measured {
  readonly metadata: MetadataStore;
  readonly telemetry: TelemetryStore;
  readonly objects: ObjectStore;
  readonly clock: ClockGuard;
  readonly dataDir: string;
  readonly version: string;
  readonly skipped: Skipped;
}

/** Registers metrics of the stores. They are read for each request to `/metrics`. */
export function registerGauges(registry: Registry, measured: Measured): void {
  const { metadata, telemetry, objects, clock, dataDir, version } = measured;
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
  gauge("mooring_telemetry_writable", "1 while batches are accepted.", () => (telemetry.health().ok ? 1 : 0));
  gauge("mooring_objects_writable", "1 while content of files is accepted.", () => (objects.health().ok ? 1 : 0));
  gauge("mooring_deletions_held", "1 while the clock is in doubt and nothing is deleted by time.", () =>
    clock.isTrusted() ? 0 : 1,
  );
  gauge(
    "mooring_clock_offset_seconds",
    "How far the clock has moved ahead of real time since the start.",
    () => clock.offsetMs() / 1000,
  );
  registerHeld(registry, clock);
  registerRecords(registry, metadata);
  registerSandbox(registry, telemetry);
  registerDisk(registry, dataDir);
  registerBuild(registry, version);
  registerSkipped(registry, measured.skipped);
}

function registerSkipped(registry: Registry, skipped: Skipped): void {
  new Counter({
    name: "mooring_ingest_skipped_total",
    help: "Values of other protocols that were taken without a row, by protocol and reason.",
    labelNames: ["protocol", "reason"],
    registers: [registry],
    collect() {
      this.reset();
      for (const { protocol, reason, total } of skipped.all()) this.inc({ protocol, reason }, total);
    },
  });
}

/** Registers held deletions, parked jobs and sandbox layers, which have labels or are read from the records. */
function registerHeld(registry: Registry, clock: ClockGuard): void {
  new Counter({
    name: "mooring_deletions_held_total",
    help: "Deletions by time that were held because the clock was in doubt.",
    labelNames: ["deletion"],
    registers: [registry],
    collect() {
      this.reset();
      const { held } = clock.state();
      for (const deletion of Object.keys(DELETIONS) as Deletion[]) this.inc({ deletion }, held.get(deletion) ?? 0);
    },
  });
}

/** While the records do not answer, the number of parked jobs is left out, and the other metrics are still served. */
function registerRecords(registry: Registry, metadata: MetadataStore): void {
  new Gauge({
    name: "mooring_records_reachable",
    help: "1 while the records answer.",
    registers: [registry],
    async collect() {
      const isReachable = await metadata.ping().then(
        () => true,
        () => false,
      );
      this.set(isReachable ? 1 : 0);
    },
  });
  new Gauge({
    name: "mooring_jobs_parked",
    help: "Jobs that ended their server several times in a row, and wait for the operator.",
    registers: [registry],
    async collect() {
      const count = await countParked(metadata.read).catch(() => null);
      if (count === null) this.remove();
      else this.set(count);
    },
  });
}

function registerSandbox(registry: Registry, telemetry: TelemetryStore): void {
  new Gauge({
    name: "mooring_query_sandbox_layer",
    help: "1 while a layer of the sandbox of queries is in force, 0 when this machine lacks it.",
    labelNames: ["layer"],
    registers: [registry],
    async collect() {
      for (const { name, active } of await telemetry.sandbox()) this.set({ layer: name }, active ? 1 : 0);
    },
  });
}

function registerDisk(registry: Registry, dataDir: string): void {
  new Gauge({
    name: "mooring_data_free_bytes",
    help: "Free bytes of the data directory's file system.",
    registers: [registry],
    async collect() {
      const { bavail, bsize } = await statfs(dataDir);
      this.set(bavail * bsize);
    },
  });
  new Gauge({
    name: "mooring_data_size_bytes",
    help: "Size of the data directory's file system.",
    registers: [registry],
    async collect() {
      const { blocks, bsize } = await statfs(dataDir);
      this.set(blocks * bsize);
    },
  });
}

function registerBuild(registry: Registry, version: string): void {
  const info = { name: "mooring_build_info", help: "1, with the version as a label.", labelNames: ["version"] };
  new Gauge({ ...info, registers: [registry] }).set({ version }, 1);
}
