import type { FastifyBaseLogger } from "fastify";
import type { Listener } from "#http/index.ts";
import type { Metrics } from "#kernel/metrics/index.ts";
import type { ClockGuard } from "#stores/clock/index.ts";
import type { Schedule } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { ObjectStore } from "#stores/objects/index.ts";
import type { TelemetryStore } from "#stores/telemetry/index.ts";
import type { Skipped } from "#surfaces/telemetry/index.ts";
import { productManifest } from "../build-facts.ts";
import type { Config } from "../config.ts";
import { readFatalNote } from "../fatal-note.ts";
import type { Phases } from "../phases.ts";
import { probedStores, StoreProbes } from "../probes.ts";
import { Problems } from "../problems.ts";
import { readListeners } from "./listeners.ts";
import { startProcessMetrics } from "./process.ts";
import { readQuotas } from "./quotas.ts";
import { readStores } from "./stores.ts";
import { readWork } from "./work.ts";

interface Measured {
  readonly metrics: Metrics;
  readonly log: FastifyBaseLogger;
  readonly clock: ClockGuard;
  readonly schedule: Schedule;
  readonly phases: Phases;
  readonly metadata: MetadataStore;
  readonly telemetry: TelemetryStore;
  readonly objects: ObjectStore;
  readonly skipped: Skipped;
  readonly listeners: { readonly listener: Listener; readonly s3Listener: Listener };
}

/** What the server knows about itself. */
interface Measures {
  readonly probes: StoreProbes;
  readonly problems: Problems;
}

/** Starts to measure the process and the parts that do not count themselves. */
export function startMeasures(config: Config, parts: Measured): Measures {
  const { metrics, log, clock, schedule, phases, listeners } = parts;
  const { version } = productManifest();
  phases.started("process metrics", startProcessMetrics(metrics, version, clock), (part) => part.stop());
  readStores(metrics, { ...parts, dataDir: config.data_dir });
  readListeners(metrics, [
    ["listen", listeners.listener],
    ["s3_listen", listeners.s3Listener],
  ]);
  readQuotas(metrics, parts.metadata, config);
  readWork(metrics, parts);
  readFatalNote(metrics, config.data_dir);
  const probes = new StoreProbes(probedStores(config, parts), { metrics, log, schedule });
  phases.started("store probes", probes, (part) => part.stop());
  const problems = phases.started("problems", new Problems({ metrics, clock, schedule }), (part) => part.stop());
  return { probes, problems };
}
