import type { PORTAL_ROUTES } from "@mooring/contract";
import { rename } from "#domain/people/index.ts";
import type { Operation } from "#http/index.ts";
import type { PortalSurfaceDeps } from "../index.ts";
import { originOf } from "../origin.ts";

export function updateAccount(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.updateAccount> {
  return async ({ body }, context) => {
    await rename(deps.people, context.session, body.name, originOf(context));
    return { name: body.name };
  };
}
