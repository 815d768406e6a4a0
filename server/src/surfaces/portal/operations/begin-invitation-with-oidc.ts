import type { PORTAL_ROUTES } from "@mooring/contract";
import { FailureDelay, failurePlaceOf } from "#domain/identity/index.ts";
import { openInvitation } from "#domain/organizations/index.ts";
import { cookieOf, createRateLimiter, SESSION_COOKIE, type Operation } from "#http/index.ts";
import { sha256Hex } from "#kernel/digest.ts";
import { Problem } from "#kernel/problem.ts";
import type { PortalSurfaceDeps } from "../index.ts";
import { requireProvider, toProvider } from "../to-provider.ts";

const TRIES_A_MINUTE = 10;
const AT = "Open the link of the invitation";

/** The token of the invitation comes in the body and never stands in an address; its hash waits with the attempt. */
export function beginInvitationWithOidc(
  deps: PortalSurfaceDeps,
): Operation<typeof PORTAL_ROUTES.beginInvitationWithOidc> {
  const limit = { perSecond: TRIES_A_MINUTE / 60, burst: TRIES_A_MINUTE, clock: deps.clock };
  const tries = createRateLimiter({ name: "invitation", ...limit });
  const misses = new FailureDelay(deps.clock);
  return async ({ body }, context) => {
    const { ip, request } = context;
    tries.take(sha256Hex(body.token));
    requireProvider(deps, request.headers.host, AT);
    const { tokenHash, organization, hasAccount } = await misses.countMisses(failurePlaceOf(ip), () =>
      openInvitation(deps, body.token),
    );
    if (!hasAccount && body.name === undefined)
      throw new Problem("invalid_body", "A new account needs a name.", {
        errors: [{ pointer: "/name", detail: "is required" }],
      });
    const again = cookieOf(request, SESSION_COOKIE) !== undefined;
    const invited = { tokenHash, name: body.name ?? null };
    return toProvider(deps, context, { at: AT, asked: { returnTo: `/o/${organization}/-`, again, invited } });
  };
}
