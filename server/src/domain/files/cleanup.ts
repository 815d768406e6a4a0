import { earlier, type GuardedClock } from "#kernel/deletions.ts";
import type { Schedule, ScheduledWork } from "#stores/jobs/index.ts";
import type { Arrivals } from "./arrivals.ts";
import { dropGrant } from "./parts-store.ts";
import { purgeDue } from "./trash.ts";
import { countUsage, expiredGrants, isExpired } from "./store.ts";
import { lockFiles, type FilesDeps } from "./uploads.ts";

type Deps = Pick<FilesDeps, "metadata" | "objects"> & { readonly clock: GuardedClock };

/** A small upload makes no claim. It always ends within this time after its grant expires. */
const GRACE_MS = 600_000;
/** An upload to the upstream store runs without our knowledge. It may take a day after its URL expires. */
const DIRECT_GRACE_MS = 86_400_000;
const BATCH = 200;

/**
 * Deletes expired grants, with their reservations. Several nodes may do so at the same time. Returns the number of
 * deleted grants.
 */
export async function cleanUp(deps: Deps, graceMs: number = GRACE_MS): Promise<number> {
  const nowMs = deps.clock.deletionTime("uploads");
  if (nowMs === null) return 0;
  const before = earlier(nowMs, graceMs);
  let count = 0;
  for (;;) {
    const expired = await expiredGrants(deps.metadata.read, before, BATCH);
    for (const { id, org_id } of expired) {
      await deps.metadata.write(async (tx) => {
        await lockFiles(deps, tx, org_id);
        if (!(await isExpired(tx, id, before))) return;
        const grant = await dropGrant(tx, deps.objects, org_id, id);
        if (grant !== undefined) countUsage(tx, grant, { grants: -1, reserved: -grant.reserved });
      });
    }
    count += expired.length;
    if (expired.length < BATCH) break;
  }
  return count;
}

/** Cleans up at intervals until the returned work is stopped. */
export function startCleanUp(
  deps: Deps & {
    readonly arrivals: Arrivals | null;
    readonly log: { error(fields: object, message: string): void };
    readonly schedule: Schedule;
  },
  everyMs: number,
): ScheduledWork {
  const run = async (): Promise<void> => {
    await deps.arrivals?.sweep();
    await cleanUp(deps, deps.arrivals === null ? GRACE_MS : DIRECT_GRACE_MS);
    await purgeDue(deps);
  };
  const failed = (error: unknown): void =>
    deps.log.error({ err: error }, "cannot clean up expired uploads and the trash; it is retried later");
  return deps.schedule.add("uploads and trash", { everyMs, run, failed });
}
