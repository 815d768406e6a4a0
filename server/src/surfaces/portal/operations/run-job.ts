import type { PORTAL_ROUTES } from "@mooring/contract";
import { auditInstance } from "#domain/people/index.ts";
import type { Operation } from "#http/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { PortalSurfaceDeps } from "../index.ts";
import { originOf } from "../origin.ts";

/** All of it runs by itself, too, and does at another time what it would do then: so it may be run at any. */
export function runJob(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.runJob> {
  return async ({ params: { name } }, context) => {
    if (!deps.work.begin(name)) throw new Problem("not_found", "There is no periodic work of this name.");
    const event = { action: "job.run", target: { kind: "job", id: name }, detail: {} };
    await auditInstance(deps.people, context.session, event, originOf(context));
    return undefined;
  };
}
