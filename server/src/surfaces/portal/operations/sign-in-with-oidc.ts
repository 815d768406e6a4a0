import {
  beginOidc,
  finishOidc,
  localPath,
  sessionOfSecret,
  type OidcFailure,
  type OidcOutcome,
} from "#domain/people/index.ts";
import {
  clearCookie,
  cookieOf,
  createRateLimiter,
  SESSION_COOKIE,
  setCookie,
  type OperationContext,
  type RateLimiter,
} from "#http/index.ts";
import { SIGN_IN_ATTEMPT_MS } from "#kernel/limits.ts";
import { Problem } from "#kernel/problem.ts";
import { endFormer, sendSession } from "../cookie.ts";
import type { PortalSurfaceDeps } from "../deps.ts";
import { mailVerified } from "../mails.ts";
import { originOf } from "../origin.ts";
import { OIDC_COOKIE } from "../to-provider.ts";

type Context = Pick<OperationContext, "request" | "reply">;

const SIGN_IN_PAGE = "/sign-in";
/**
 * The page that shows a failure. The sign-in page redirects people who have a session, so their failures are shown
 * elsewhere.
 */
const PAGES: Partial<Record<OidcFailure, string>> = {
  oidc_not_invited: "/invitation?error=oidc_not_invited",
  oidc_taken: "/account?tab=sign-in&error=oidc_taken",
  oidc_not_fresh: "/account?tab=sign-in&error=oidc_not_fresh",
};
/**
 * Each attempt writes a record. So an address, or a browser with an earlier sign-in, may start this many at once, then
 * one a second.
 */
const BEGUN_AT_ONCE = 60;

/** Mounts the two addresses to which a browser is redirected. They have no rows, since no page calls them. */
export function signInWithOidc(
  deps: PortalSurfaceDeps,
): Record<"begin" | "finish", (context: Context) => Promise<void>> {
  const tries = createRateLimiter({ name: "address", perSecond: 1, burst: BEGUN_AT_ONCE, clock: deps.clock });
  return { begin: (context) => begin(deps, tries, context), finish: (context) => finish(deps, context) };
}

/** Redirects the browser to the provider. A signed-in person must prove their identity again. */
async function begin(deps: PortalSurfaceDeps, tries: RateLimiter, { request, reply }: Context): Promise<void> {
  const { people } = deps;
  const provider = providerOf(deps);
  tries.take(people.throttle.placeOf(originOf({ request, ip: request.ip, requestId: request.id })));
  const returnTo = localPath((request.query as { return_to?: unknown }).return_to);
  const { origin } = people.portal;
  if (request.headers.host !== new URL(origin).host && people.portal.localhostOrigin !== null) {
    // The provider redirects to one host name only, and the cookie must belong to that host.
    redirect(reply, `${origin}/api/sign-in/oidc?return_to=${encodeURIComponent(returnTo)}`);
    return;
  }
  const again = cookieOf(request, SESSION_COOKIE) !== undefined;
  try {
    const { url, ticket } = await beginOidc(people, provider, { returnTo, again });
    setCookie(reply, OIDC_COOKIE, ticket, SIGN_IN_ATTEMPT_MS / 1000);
    redirect(reply, url.href);
  } catch (error) {
    if (error instanceof Problem) throw error;
    request.log.warn({ err: error }, "cannot reach the provider of sign-ins");
    redirect(reply, `${SIGN_IN_PAGE}?error=oidc_unreachable`);
  }
}

/** Handles the redirect from the provider. */
async function finish(deps: PortalSurfaceDeps, { request, reply }: Context): Promise<void> {
  const provider = providerOf(deps);
  const context = { request, reply, ip: request.ip, requestId: request.id };
  const origin = originOf(context);
  const ticket = cookieOf(request, OIDC_COOKIE);
  const query = request.url.split("?").slice(1).join("?");
  const outcome: OidcOutcome =
    ticket === undefined
      ? { failure: "oidc_failed" }
      : await finishOidc(deps.people, provider, { ticket, query, session: await sessionIn(deps, request) }, origin);
  clearCookie(reply, OIDC_COOKIE);
  if ("failure" in outcome) {
    if (outcome.cause !== undefined) request.log.warn({ err: outcome.cause }, "a sign-in at the provider failed");
    redirect(reply, PAGES[outcome.failure] ?? `${SIGN_IN_PAGE}?error=${outcome.failure}`);
    return;
  }
  await endFormer(deps.people, context, origin);
  await sendSession(deps.people, context, outcome.secret);
  await mailVerified(deps, outcome.proved);
  redirect(reply, outcome.returnTo);
}

async function sessionIn(deps: PortalSurfaceDeps, request: Context["request"]) {
  const secret = cookieOf(request, SESSION_COOKIE);
  return secret === undefined ? undefined : sessionOfSecret(deps.people, secret);
}

function providerOf(deps: PortalSurfaceDeps) {
  const { provider } = deps.people;
  if (provider === null) throw new Problem("not_found", "There is nothing at this address.");
  return provider;
}

function redirect(reply: Context["reply"], address: string): void {
  void reply.code(302).headers({ location: address, "cache-control": "no-store" }).send();
}
