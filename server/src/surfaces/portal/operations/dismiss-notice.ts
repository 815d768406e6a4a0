import type { PORTAL_ROUTES } from "@mooring/contract";
import { dismissNotice as dismiss } from "#domain/people/index.ts";
import type { Operation } from "#http/index.ts";
import type { PortalSurfaceDeps } from "../index.ts";

export function dismissNotice(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.dismissNotice> {
  return async (_input, { session }) => {
    await dismiss(deps.people, session);
  };
}
