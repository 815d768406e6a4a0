import type { PORTAL_ROUTES } from "@mooring/contract";
import { endSession } from "#domain/people/index.ts";
import type { Operation } from "#http/index.ts";
import { endCookie } from "../cookie.ts";
import type { PortalSurfaceDeps } from "../index.ts";
import { originOf } from "../origin.ts";

export function signOut(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.signOut> {
  return async (_input, context) => {
    await endSession(deps.people, context.session, { origin: originOf(context), action: "session.sign_out" });
    endCookie(context.reply);
  };
}
