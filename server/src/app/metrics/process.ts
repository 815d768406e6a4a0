import { readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { constants, PerformanceObserver, type NodeGCPerformanceDetail } from "node:perf_hooks";
import type { Metrics } from "#kernel/metrics/index.ts";
import type { Clock } from "#kernel/time.ts";

/** A shorter interval would wake an idle process more often. */
export const LOOK_EVERY_MS = 100;
const MS_PER_S = 1000;
const US_PER_S = 1e6;

const GC_KINDS = new Map<number, "incremental" | "major" | "minor" | "weakcb">([
  [constants.NODE_PERFORMANCE_GC_MAJOR, "major"],
  [constants.NODE_PERFORMANCE_GC_MINOR, "minor"],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, "incremental"],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, "weakcb"],
]);

/** Starts to measure the main process. */
export function startProcessMetrics(metrics: Metrics, version: string, clock: Clock): { stop(): void } {
  metrics.read("mooring_build_info", () => [[{ version, node_version: process.versions.node }, 1]]);
  const startedS = Math.round(clock.nowMs() / MS_PER_S - process.uptime());
  metrics.read("process_start_time_seconds", () => startedS);
  metrics.read("process_cpu_seconds_total", () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / US_PER_S;
  });
  metrics.read("process_resident_memory_bytes", () => process.memoryUsage.rss());
  metrics.read("nodejs_heap_size_used_bytes", () => process.memoryUsage().heapUsed);
  metrics.read("nodejs_external_memory_bytes", () => process.memoryUsage().external);
  const descriptorsMax = readDescriptorsMax();
  metrics.read("process_max_fds", () => descriptorsMax);
  // One of them is that of the directory itself.
  metrics.read("process_open_fds", async () =>
    descriptorsMax === null ? null : (await readdir("/proc/self/fd")).length - 1,
  );
  const parts = [observePauses(metrics), observeDelays(metrics)];
  return {
    stop: () => {
      for (const part of parts) part.stop();
    },
  };
}

/** Returns null on systems without /proc. */
function readDescriptorsMax(): number | null {
  try {
    const limits = readFileSync("/proc/self/limits", "utf8");
    const [, max] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
    return max === undefined ? null : Number(max);
  } catch {
    return null;
  }
}

function observePauses(metrics: Metrics): { stop(): void } {
  const seconds = metrics.histogram("nodejs_gc_duration_seconds");
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { detail } = entry as typeof entry & { readonly detail: NodeGCPerformanceDetail };
      const kind = GC_KINDS.get(detail.kind ?? 0);
      if (kind !== undefined) seconds.observe(entry.duration / MS_PER_S, { kind });
    }
  });
  observer.observe({ entryTypes: ["gc"] });
  return { stop: () => observer.disconnect() };
}

/** Node's own histogram of these delays has percentiles since its last reset only, so two readers would disturb each other. */
function observeDelays(metrics: Metrics): { stop(): void } {
  const seconds = metrics.histogram("mooring_eventloop_delay_seconds");
  let dueMs = performance.now() + LOOK_EVERY_MS;
  const timer = setInterval(() => {
    const nowMs = performance.now();
    seconds.observe(Math.max(0, nowMs - dueMs) / MS_PER_S, {});
    dueMs = nowMs + LOOK_EVERY_MS;
  }, LOOK_EVERY_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
