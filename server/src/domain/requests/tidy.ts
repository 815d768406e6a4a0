import { REFUSALS_KEPT_BYTES, REFUSALS_KEPT_DAYS } from "@mooring/contract";
import { earlier, type GuardedClock } from "#kernel/deletions.ts";
import type { JobHandler, Jobs } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { bytesOfRequests, deleteOldest } from "./store.ts";

const TIDY = "request.tidy";
const EVERY_MS = 5 * 60_000;
const DAY_MS = 24 * 3_600_000;
/** The most rows of one transaction, so that others can write in between. */
const PAGE_ROWS = 1_000;

export interface TidyDeps {
  readonly metadata: MetadataStore;
  readonly clock: GuardedClock;
  readonly jobs: Jobs;
  readonly log: { warn(fields: object, message: string): void };
}

/** Deletes refused requests that are too old, and the oldest ones if all take too many bytes. */
export function tidyRequestsHandler(deps: Pick<TidyDeps, "metadata" | "clock">): JobHandler {
  return {
    kind: TIDY,
    everyMs: EVERY_MS,
    concurrency: 1,
    concurrencyPerGroup: 1,
    waitMsMax: 2 * EVERY_MS,
    run: async () => {
      await tidyRequests(deps);
      return { dueAtMs: deps.clock.nowMs() + EVERY_MS };
    },
    retryMs: () => EVERY_MS,
  };
}

export async function tidyRequests(
  { metadata, clock }: Pick<TidyDeps, "metadata" | "clock">,
  bytesMax = REFUSALS_KEPT_BYTES,
): Promise<void> {
  const dueMs = clock.deletionTime("refused_requests");
  if (dueMs !== null) {
    const before = earlier(dueMs, REFUSALS_KEPT_DAYS * DAY_MS);
    for (const table of ["refused_repeat", "refused_request"] as const)
      while ((await metadata.write((tx) => deleteOldest(tx, table, PAGE_ROWS, before))) === PAGE_ROWS);
  }
  while ((await bytesOfRequests(metadata.read)) > bytesMax) {
    const repeats = await metadata.write((tx) => deleteOldest(tx, "refused_repeat", PAGE_ROWS));
    const requests = await metadata.write((tx) => deleteOldest(tx, "refused_request", PAGE_ROWS));
    if (repeats + requests === 0) return;
  }
}

export async function scheduleRequestTidying({ metadata, clock, jobs, log }: TidyDeps): Promise<void> {
  try {
    await metadata.write((tx) => jobs.put(tx, { kind: TIDY, key: "all", group: "", dueAtMs: clock.nowMs() }));
  } catch (error) {
    log.warn({ err: error }, "cannot schedule the cleanup of refused requests; the next start schedules it");
  }
}
