import type { PORTAL_ROUTES } from "@mooring/contract";
import { deleteIdentity as remove } from "#domain/people/index.ts";
import type { Operation } from "#http/index.ts";
import type { PortalSurfaceDeps } from "../index.ts";
import { originOf } from "../origin.ts";

export function deleteIdentity(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.deleteIdentity> {
  return async (_input, context) => {
    await remove(deps.people, context.session, originOf(context));
  };
}
