import type { PORTAL_ROUTES } from "@mooring/contract";
import { deletePersonalToken } from "#domain/people/index.ts";
import type { Operation } from "#http/index.ts";
import type { PortalSurfaceDeps } from "../index.ts";
import { originOf } from "../origin.ts";

export function deletePersonalAccessToken(
  deps: PortalSurfaceDeps,
): Operation<typeof PORTAL_ROUTES.deletePersonalAccessToken> {
  return async ({ params }, context) => {
    await deletePersonalToken(deps.people, context.session, params.token_id, originOf(context));
  };
}
