import { randomBytes } from "node:crypto";
import type { Metrics } from "#kernel/metrics/index.ts";
import type { Clock } from "#kernel/time.ts";
import type { Schedule, ScheduledWork } from "#stores/jobs/index.ts";
import type { TelemetryStore, TelemetryType } from "#stores/telemetry/index.ts";
import { RowQueue } from "./queue.ts";
import { logRow, metricRows, spanRow, type AnsweredRequest } from "./rows.ts";

export { answeredRequest, type AnsweredRequest } from "./rows.ts";

export interface OwnTelemetryTarget {
  readonly store: Pick<TelemetryStore, "append">;
  readonly metrics: Metrics;
  /** The organization's identifier, or undefined while no organization has the configured slug. */
  readonly organizationId: () => Promise<string | undefined>;
  /** Interval between samples of all metrics. */
  readonly metricsIntervalMs: number;
  readonly schedule: Schedule;
}

/**
 * Writes the server's own logs, metrics and spans into one of its organizations. Rows that can't be written are counted
 * and dropped.
 */
export interface OwnTelemetry {
  /** Accepts the lines of the server's log, from pino. */
  readonly logs: { write(line: string): void };
  observe(request: AnsweredRequest): void;
  /** Starts to write the waiting rows and all later ones. */
  start(target: OwnTelemetryTarget): void;
  /** Samples the metrics a last time, writes the waiting rows, and then accepts no more. */
  stop(): Promise<void>;
}

const FLUSH_EVERY_MS = 1000;
/** The most characters of waiting rows. Beyond it, new rows are dropped. */
const WAITING_CHARS_MAX = 16 * 1024 * 1024;

export function createOwnTelemetry(clock: Clock): OwnTelemetry {
  return new Exporter(clock);
}

class Exporter implements OwnTelemetry {
  readonly #clock: Clock;
  readonly #rows = new RowQueue(WAITING_CHARS_MAX);
  #works: readonly ScheduledWork[] = [];
  #target: OwnTelemetryTarget | undefined;
  #organizationId: string | undefined;
  #flushing: Promise<void> | undefined;
  #stopped = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  readonly logs = {
    write: (line: string): void => {
      const row = logRow(line);
      if (row !== undefined) this.#add("logs", row);
    },
  };

  observe(request: AnsweredRequest): void {
    this.#add("traces", spanRow(request, this.#clock.nowMs(), randomHex));
  }

  /** Can be called again after a stop, when a start of the server failed and is repeated. */
  start(target: OwnTelemetryTarget): void {
    this.#target = target;
    this.#stopped = false;
    target.metrics.read("mooring_own_telemetry_dropped_total", () => this.#rows.dropped);
    const failed = (): void => {}; // not logged: the schedule records the failure, see `#keep`
    this.#works = [
      target.schedule.add("own telemetry", { everyMs: FLUSH_EVERY_MS, run: () => this.#flush(), failed }),
      target.schedule.add("own metrics", { everyMs: target.metricsIntervalMs, run: () => this.#sample(), failed }),
    ];
  }

  async stop(): Promise<void> {
    for (const work of this.#works) await work.stop();
    await this.#sample();
    await this.#flushing;
    await this.#flush();
    this.#stopped = true;
  }

  #add(type: TelemetryType, row: string): void {
    if (!this.#stopped) this.#rows.add(type, row);
  }

  async #sample(): Promise<void> {
    const samples = (await this.#target?.metrics.samples()) ?? [];
    for (const row of metricRows(samples, this.#clock.nowMs())) this.#add("metrics", row);
  }

  #flush(): Promise<void> {
    this.#flushing ??= this.#keep().finally(() => {
      this.#flushing = undefined;
    });
    return this.#flushing;
  }

  /** Logs no failure, because that log line would become another row that can't be written. */
  async #keep(): Promise<void> {
    const target = this.#target;
    if (target === undefined) return;
    try {
      this.#organizationId ??= await target.organizationId();
      const orgId = this.#organizationId;
      if (orgId === undefined) return;
      for (let batch = this.#rows.next(); batch !== undefined; batch = this.#rows.next()) {
        const { type, count } = batch;
        await target.store.append({ orgId, type, count, rows: Buffer.from(batch.text) });
        batch.kept();
      }
    } catch {
      // The rows wait for the next run. `/health` gives the reason.
    }
  }
}

function randomHex(bytes: number): string {
  return randomBytes(bytes).toString("hex");
}
