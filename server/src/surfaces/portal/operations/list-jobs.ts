import type { PORTAL_ROUTES } from "@mooring/contract";
import type { Operation } from "#http/index.ts";
import { isoFromMs } from "#kernel/time.ts";
import { jobKinds } from "#stores/jobs/index.ts";
import type { PortalSurfaceDeps } from "../index.ts";

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
      queued: (await jobKinds(deps.metadata.read)).map(({ nextAtMs, lastError, ...counts }) => ({
        ...counts,
        next_at: timeOf(nextAtMs),
        last_error: lastError,
      })),
    };
  };
}

function timeOf(ms: number | null): string | null {
  return ms === null ? null : isoFromMs(ms);
}
