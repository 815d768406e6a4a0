import type { PORTAL_ROUTES } from "@mooring/contract";
import { auditInstance } from "#domain/people/index.ts";
import type { Operation } from "#http/index.ts";
import { Problem } from "#kernel/problem.ts";
import { isoFromMs } from "#kernel/time.ts";
import { jobKinds, unparkJobs } from "#stores/jobs/index.ts";
import type { PortalSurfaceDeps } from "../deps.ts";
import { originOf } from "../origin.ts";

export function listJobs(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.listJobs> {
  return async (_input, { reply }) => {
    void reply.header("cache-control", "no-store");
    return {
      periodic: deps.work.list().map(({ name, everyMs, runningSinceMs, last }) => ({
        name,
        every_ms: everyMs,
        running_since: timeOf(runningSinceMs),
        last:
          last === null
            ? null
            : { started_at: isoFromMs(last.startedMs), duration_ms: last.durationMs, failure: last.failure },
      })),
      queued: (await jobKinds(deps.metadata.read)).map(({ nextAtMs, lastError, isCut, ...counts }) => ({
        ...counts,
        ...(isCut ? { is_lower_bound: true as const } : {}),
        next_at: timeOf(nextAtMs),
        last_error: lastError,
      })),
    };
  };
}

function timeOf(ms: number | null): string | null {
  return ms === null ? null : isoFromMs(ms);
}

/** All of it runs by itself, too, and does at another time what it would do then: so it may be run at any. */
export function runJob(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.runJob> {
  return async ({ params: { name } }, context) => {
    if (!deps.work.begin(name) && (await runParked(deps, name)) === 0)
      throw new Problem("not_found", "There is no periodic work of this name, and no parked job of this kind.");
    const event = { action: "job.run", target: { kind: "job", id: name }, detail: {} };
    await auditInstance(deps.people, context.session, event, originOf(context));
    return undefined;
  };
}

function runParked({ metadata, clock }: PortalSurfaceDeps, kind: string): Promise<number> {
  return metadata.write(async (tx) => {
    const count = await unparkJobs(tx, kind, clock.nowMs());
    if (count > 0) await metadata.notify(tx, "job");
    return count;
  });
}
