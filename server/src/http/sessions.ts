import type { FastifyRequest } from "fastify";
import { CONFIRMATION_MS } from "#kernel/limits.ts";
import { Problem } from "#kernel/problem.ts";
import type { Clock } from "#kernel/time.ts";
import type { Principal } from "#domain/identity/index.ts";
import { cookieOf, SESSION_COOKIE } from "./cookies.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Set before the operation runs, on routes whose permission is `session` or `instance`. */
    session: PersonSession | null;
  }
}

/** A signed-in person, from a session row. */
export interface PersonSession {
  readonly id: string;
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly instanceAdmin: boolean;
  readonly method: "set_up" | "password" | "password_totp" | "recovery_code" | "passkey" | "oidc" | "reset_link";
  readonly hasSecondFactor: boolean;
  readonly confirmedAtMs: number;
  readonly expiresAtMs: number;
}

/** The sessions of people; implemented by `domain/people`. */
export interface Sessions {
  /**
   * The session of a cookie, read from the records each time; undefined when it has ended.
   * @throws Problem `unavailable`
   */
  find(secret: string): Promise<PersonSession | undefined>;
  /** Where the portal's pages come from: `scheme://host[:port]`. */
  readonly portalOrigins: readonly string[];
}

/**
 * Authenticates by the session's cookie.
 * @throws Problem `unauthorized`, `forbidden`, `unavailable`
 */
export async function admitSession(
  request: FastifyRequest,
  permission: "session" | "instance",
  sessions: Sessions,
): Promise<PersonSession> {
  const secret = cookieOf(request, SESSION_COOKIE);
  const session = secret === undefined ? undefined : await sessions.find(secret);
  if (session === undefined) throw new Problem("unauthorized", "You are not signed in; sign in and try again.");
  if (permission === "instance" && !session.instanceAdmin)
    throw new Problem("forbidden", "This is for those who run the server.");
  request.session = session;
  return session;
}

/**
 * Lets a request pass that a page of the portal sent (Fetch Metadata), or, from browsers that don't say, one with the portal's
 * `Origin` (RFC 6454). A session's cookie comes along on its own, so what it may do must not be another site's to ask.
 * @throws Problem `cross_site`
 */
export function requireSameOrigin(request: FastifyRequest, origins: readonly string[]): void {
  const site = request.headers["sec-fetch-site"];
  if (site === undefined ? origins.includes(request.headers.origin ?? "") : site === "same-origin" || site === "none")
    return;
  throw new Problem("cross_site", "This can only be asked from the portal's own pages.");
}

/**
 * For acts that must not be possible for somebody who finds an unattended browser.
 * @throws Problem `confirmation_required`
 */
export function requireConfirmed(who: Principal | PersonSession | null, clock: Clock): void {
  if (who === null || ("kind" in who && who.kind === "credential")) return;
  if (clock.nowMs() - (who.confirmedAtMs ?? 0) <= CONFIRMATION_MS) return;
  throw new Problem("confirmation_required", "Confirm who you are, then try again; it counts for ten minutes.");
}

/** The session of a request on a route that asks for one. */
export function sessionOf(request: FastifyRequest): PersonSession {
  if (request.session === null) throw new Error("no session: the route does not ask for one");
  return request.session;
}
