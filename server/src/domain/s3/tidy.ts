import { earlier, type GuardedClock } from "#kernel/deletions.ts";
import type { JobHandler } from "#stores/jobs/index.ts";
import type { S3Deps } from "./deps.ts";
import { deleteCompletedUploads, deleteDeadDeliveries } from "./tidy-store.ts";

const TIDY = "s3.tidy";
const HOUR_MS = 3_600_000;
/** The same completion, sent again within this time, gets the same answer. */
const COMPLETED_KEPT_MS = 24 * HOUR_MS;
const DEAD_KEPT_MS = 30 * 24 * HOUR_MS;

type Deps = Pick<S3Deps, "metadata" | "clock" | "jobs" | "log">;

/** Deletes results of completed uploads that clients no longer ask for. */
export function tidyHandler({
  metadata,
  clock,
}: Pick<Deps, "metadata"> & { readonly clock: GuardedClock }): JobHandler {
  return {
    kind: TIDY,
    everyMs: HOUR_MS,
    concurrency: 1,
    concurrencyPerGroup: 1,
    waitMsMax: 2 * HOUR_MS,
    run: async () => {
      const uploadsMs = clock.deletionTime("s3_uploads");
      const deliveriesMs = clock.deletionTime("s3_deliveries");
      await metadata.write(async (tx) => {
        if (uploadsMs !== null) await deleteCompletedUploads(tx, earlier(uploadsMs, COMPLETED_KEPT_MS));
        if (deliveriesMs !== null) await deleteDeadDeliveries(tx, earlier(deliveriesMs, DEAD_KEPT_MS));
      });
      return { dueAtMs: clock.nowMs() + HOUR_MS };
    },
    retryMs: () => HOUR_MS,
  };
}

export async function scheduleTidying({ metadata, clock, jobs, log }: Deps): Promise<void> {
  try {
    await metadata.write((tx) => jobs.put(tx, { kind: TIDY, key: "all", group: "", dueAtMs: clock.nowMs() }));
  } catch (error) {
    log.warn({ err: error }, "cannot schedule the cleanup of uploads; the next start of the server schedules it");
  }
}
