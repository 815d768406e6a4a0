import type { PORTAL_ROUTES } from "@mooring/contract";
import { endOtherSessions } from "#domain/people/index.ts";
import type { Operation } from "#http/index.ts";
import type { PortalSurfaceDeps } from "../index.ts";
import { originOf } from "../origin.ts";

export function deleteOtherSessions(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.deleteOtherSessions> {
  return async (_input, context) => ({
    ended: await endOtherSessions(deps.people, context.session, originOf(context)),
  });
}
