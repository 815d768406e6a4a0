import type { PORTAL_ROUTES } from "@mooring/contract";
import { confirm } from "#domain/people/index.ts";
import type { Operation } from "#http/index.ts";
import { isoFromMs } from "#kernel/time.ts";
import { sendSession } from "../cookie.ts";
import type { PortalSurfaceDeps } from "../index.ts";
import { originOf } from "../origin.ts";

/** The session goes on under another secret. */
export function confirmSession(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.confirmSession> {
  return async ({ body }, context) => {
    const { session } = context;
    const { secret, confirmedAtMs } = await confirm(deps.people, session, body, originOf(context));
    await sendSession(deps.people, context, secret);
    return { confirmed_at: isoFromMs(confirmedAtMs), id: session.id };
  };
}
