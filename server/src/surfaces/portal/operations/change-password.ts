import type { PORTAL_ROUTES } from "@mooring/contract";
import { changePassword as change } from "#domain/people/index.ts";
import type { Operation } from "#http/index.ts";
import type { PortalSurfaceDeps } from "../index.ts";
import { originOf } from "../origin.ts";

export function changePassword(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.changePassword> {
  return async ({ body }, context) => {
    await change(deps.people, context.session, body.password, originOf(context));
  };
}
