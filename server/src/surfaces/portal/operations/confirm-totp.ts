import type { PORTAL_ROUTES } from "@mooring/contract";
import { confirmTotp as confirm } from "#domain/people/index.ts";
import type { Operation } from "#http/index.ts";
import type { PortalSurfaceDeps } from "../index.ts";
import { originOf } from "../origin.ts";

export function confirmTotp(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.confirmTotp> {
  return async ({ body }, context) => {
    void context.reply.header("cache-control", "no-store");
    return { recovery_codes: await confirm(deps.people, context.session, body.code, originOf(context)) };
  };
}
