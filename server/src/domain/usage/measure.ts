import { USAGE_DAYS } from "@mooring/contract";
import { earlier, type GuardedClock } from "#kernel/deletions.ts";
import type { JobHandler, Jobs } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { DAY_MS } from "./counts.ts";
import { deleteUsage, measureStored } from "./store.ts";

const MEASURE = "usage.measure";
const EVERY_MS = 60 * 60_000;
const RETRY_MS = 5 * 60_000;
/** The most rows of one transaction, so that others can write in between. */
const PAGE_ROWS = 1_000;

export interface MeasureDeps {
  readonly metadata: MetadataStore;
  readonly clock: GuardedClock;
  readonly jobs: Jobs;
  readonly log: { warn(fields: object, message: string): void };
}

/** Measures each hour what organizations store, and deletes usage of more than 13 months ago. */
export function measureUsageHandler(deps: Pick<MeasureDeps, "metadata" | "clock">): JobHandler {
  return {
    kind: MEASURE,
    everyMs: EVERY_MS,
    concurrency: 1,
    concurrencyPerGroup: 1,
    waitMsMax: 2 * EVERY_MS,
    run: async () => {
      await measureUsage(deps);
      await deleteOldUsage(deps);
      return { dueAtMs: deps.clock.nowMs() + EVERY_MS };
    },
    retryMs: () => RETRY_MS,
  };
}

export async function measureUsage({ metadata, clock }: Pick<MeasureDeps, "metadata" | "clock">): Promise<void> {
  const nowMs = clock.nowMs();
  await metadata.write((tx) => measureStored(tx, nowMs - (nowMs % DAY_MS)));
}

export async function deleteOldUsage({ metadata, clock }: Pick<MeasureDeps, "metadata" | "clock">): Promise<void> {
  const dueMs = clock.deletionTime("usage");
  if (dueMs === null) return;
  const before = earlier(dueMs, USAGE_DAYS * DAY_MS + (dueMs % DAY_MS));
  while ((await metadata.write((tx) => deleteUsage(tx, before, PAGE_ROWS))) === PAGE_ROWS);
}

export async function scheduleUsage({ metadata, clock, jobs, log }: MeasureDeps): Promise<void> {
  try {
    await metadata.write((tx) => jobs.put(tx, { kind: MEASURE, key: "all", group: "", dueAtMs: clock.nowMs() }));
  } catch (error) {
    log.warn({ err: error }, "cannot schedule the measurement of usage; the next start schedules it");
  }
}
