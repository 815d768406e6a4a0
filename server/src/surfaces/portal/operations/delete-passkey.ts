import type { PORTAL_ROUTES } from "@mooring/contract";
import { deletePasskey as remove } from "#domain/people/index.ts";
import type { Operation } from "#http/index.ts";
import type { PortalSurfaceDeps } from "../index.ts";
import { originOf } from "../origin.ts";

export function deletePasskey(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.deletePasskey> {
  return async ({ params }, context) => {
    await remove(deps.people, context.session, params.passkey_id, originOf(context));
  };
}
