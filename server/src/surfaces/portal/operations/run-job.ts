import type { PORTAL_ROUTES } from "@mooring/contract";
import { auditInstance } from "#domain/people/index.ts";
import type { Operation } from "#http/index.ts";
import { Problem } from "#kernel/problem.ts";
import { unparkJobs } from "#stores/jobs/index.ts";
import type { PortalSurfaceDeps } from "../index.ts";
import { originOf } from "../origin.ts";

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
