import type { PORTAL_ROUTES } from "@mooring/contract";
import { createRecoveryCodes as create } from "#domain/people/index.ts";
import type { Operation } from "#http/index.ts";
import type { PortalSurfaceDeps } from "../index.ts";
import { originOf } from "../origin.ts";

export function createRecoveryCodes(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.createRecoveryCodes> {
  return async (_input, context) => {
    void context.reply.header("cache-control", "no-store");
    return { recovery_codes: await create(deps.people, context.session, originOf(context)) };
  };
}
