import { runLifecycle, type TimedBucketDeps } from "./run.ts";
import { organizationForbids } from "#domain/suspension/index.ts";
import type { JobHandler } from "#stores/jobs/index.ts";
import type { Writer } from "#stores/metadata/index.ts";
import type { BucketDeps } from "../buckets/buckets.ts";

export const LIFECYCLE = "s3.lifecycle";

const RETRY_MS = 60_000;
/** Gives the owner time to undo a rule that matches too much. */
const FIRST_MS = 60_000;

/** Applies the rules of one bucket at intervals while it has rules. */
export function lifecycleHandler(deps: TimedBucketDeps): JobHandler {
  const { lifecycleEveryMs } = deps.settings;
  return {
    kind: LIFECYCLE,
    everyMs: lifecycleEveryMs,
    concurrency: 2,
    concurrencyPerGroup: 1,
    waitMsMax: 2 * lifecycleEveryMs,
    waits: (orgId) => organizationForbids(deps.metadata.read, orgId, "retain"),
    run: async ({ key, signal }) => {
      const goesOn = await runLifecycle(deps, key, signal);
      return { dueAtMs: goesOn ? deps.clock.nowMs() + lifecycleEveryMs : null };
    },
    retryMs: () => RETRY_MS,
  };
}

/** Schedules the first run of a bucket's rules, in the transaction that sets them. */
export async function scheduleLifecycle(
  { jobs, clock, settings }: Pick<BucketDeps, "jobs" | "clock" | "settings">,
  tx: Writer,
  bucket: { readonly id: string; readonly orgId: string },
): Promise<void> {
  const dueAtMs = clock.nowMs() + Math.min(settings.lifecycleEveryMs, FIRST_MS);
  await jobs.put(tx, { kind: LIFECYCLE, key: bucket.id, group: bucket.orgId, dueAtMs });
}
