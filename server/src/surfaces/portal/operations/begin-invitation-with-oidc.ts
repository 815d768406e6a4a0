import type { PORTAL_ROUTES } from "@mooring/contract";
import { openInvitation } from "#domain/organizations/index.ts";
import { beginOidc } from "#domain/people/index.ts";
import { cookieOf, createRateLimiter, SESSION_COOKIE, setCookie, type Operation } from "#http/index.ts";
import { SIGN_IN_ATTEMPT_MS } from "#kernel/limits.ts";
import { Problem } from "#kernel/problem.ts";
import type { PortalSurfaceDeps } from "../index.ts";
import { OIDC_COOKIE } from "./sign-in-with-oidc.ts";

const TRIES_A_MINUTE = 10;

/** The token of the invitation comes in the body and never stands in an address; its hash waits with the attempt. */
export function beginInvitationWithOidc(
  deps: PortalSurfaceDeps,
): Operation<typeof PORTAL_ROUTES.beginInvitationWithOidc> {
  const limit = { perSecond: TRIES_A_MINUTE / 60, burst: TRIES_A_MINUTE, clock: deps.clock };
  const tries = createRateLimiter({ name: "address", ...limit });
  return async ({ body }, { ip, request, reply }) => {
    const { people } = deps;
    tries.take(ip);
    if (people.provider === null) throw new Problem("not_found", "There is no single sign-on at this server.");
    const { origin, localhostOrigin } = people.portal;
    if (request.headers.host !== new URL(origin).host && localhostOrigin !== null)
      throw new Problem("conflict", `Open the link of the invitation at ${origin}: that service sends back there.`);
    const { tokenHash, organization, hasAccount } = await openInvitation(deps, body.token);
    if (!hasAccount && body.name === undefined)
      throw new Problem("invalid_body", "A new account needs a name.", {
        errors: [{ pointer: "/name", detail: "is required" }],
      });
    const again = cookieOf(request, SESSION_COOKIE) !== undefined;
    const asked = { returnTo: `/o/${organization}/-`, again, invited: { tokenHash, name: body.name ?? null } };
    const { url, ticket } = await beginOidc(people, people.provider, asked).catch((cause: unknown) => {
      throw new Problem("unavailable", "The service at which you sign in does not answer. Try again shortly.", {
        cause,
      });
    });
    setCookie(reply, OIDC_COOKIE, ticket, SIGN_IN_ATTEMPT_MS / 1000);
    void reply.header("cache-control", "no-store");
    return { url: url.href };
  };
}
