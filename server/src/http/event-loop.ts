import { monitorEventLoopDelay } from "node:perf_hooks";
import { Gauge, type Registry } from "prom-client";

/** prom-client measures every 10 ms, which wakes an idle process a hundred times a second. */
export const LOOK_EVERY_MS = 100;
const NS_PER_S = 1e9;
const MS_PER_S = 1000;
const PREFIX = "nodejs_eventloop_lag";

/** Measures how late timers are since the last read. The names are those of prom-client, whose gauges it replaces. */
export function registerEventLoopLag(registry: Registry): void {
  const histogram = monitorEventLoopDelay({ resolution: LOOK_EVERY_MS });
  histogram.enable();
  const lag = (ns: number): number => Math.max(0, ns / NS_PER_S - LOOK_EVERY_MS / MS_PER_S);
  const gauge = (figure: string, help: string, read: () => number): void => {
    const name = `${PREFIX}${figure}_seconds`;
    registry.removeSingleMetric(name);
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(histogram.count === 0 ? 0 : read());
      },
    });
  };
  gauge("_min", "The smallest lag of the event loop.", () => lag(histogram.min));
  gauge("_max", "The largest lag of the event loop.", () => lag(histogram.max));
  gauge("_mean", "The mean lag of the event loop.", () => lag(histogram.mean));
  gauge("_stddev", "The standard deviation of the lags of the event loop.", () => histogram.stddev / NS_PER_S);
  gauge("_p50", "The 50th percentile of the lags of the event loop.", () => lag(histogram.percentile(50)));
  gauge("_p90", "The 90th percentile of the lags of the event loop.", () => lag(histogram.percentile(90)));
  gauge("_p99", "The 99th percentile of the lags of the event loop.", () => lag(histogram.percentile(99)));
  // Registered last, so that it is read last.
  registry.removeSingleMetric(`${PREFIX}_seconds`);
  new Gauge({
    name: `${PREFIX}_seconds`,
    help: "Lag of the event loop now.",
    registers: [registry],
    async collect() {
      histogram.reset();
      this.set(await secondsUntilNextTurn());
    },
  });
}

function secondsUntilNextTurn(): Promise<number> {
  const beganMs = performance.now();
  return new Promise((resolve) => setImmediate(() => resolve((performance.now() - beganMs) / MS_PER_S)));
}
