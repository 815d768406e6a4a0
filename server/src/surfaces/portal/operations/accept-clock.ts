import type { PORTAL_ROUTES } from "@mooring/contract";
import { auditInstance } from "#domain/people/index.ts";
import type { Operation } from "#http/index.ts";
import type { PortalSurfaceDeps } from "../index.ts";
import { originOf } from "../origin.ts";

/** Of the node that answers: each has a clock. */
export function acceptClock(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.acceptClock> {
  return async (_input, context) => {
    const event = { action: "clock.accept", target: { kind: "instance", id: "instance" }, detail: {} };
    await auditInstance(deps.people, context.session, event, originOf(context));
    deps.instance.acceptClock();
    return undefined;
  };
}
