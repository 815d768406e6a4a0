import type { FastifyRequest } from "fastify";
import { CONFIRMATION_MS } from "#kernel/limits.ts";
import { Problem } from "#kernel/problem.ts";
import type { Clock } from "#kernel/time.ts";
import type { Principal } from "#domain/identity/index.ts";
import { cookieOf, SESSION_COOKIE } from "./cookies.ts";

/** An operator who acts: with a browser session, a login of the command line, or an operator token. */
export interface ActingOperator {
  readonly actor: { readonly kind: "person" | "credential"; readonly id: string; readonly via?: string };
  /** The last proof of a person's identity. Null: a token of a program, which needs none. */
  readonly confirmedAtMs: number | null;
}

/** Authenticates operators by access tokens; implemented by `domain/operator`. */
export interface Operators {
  /** @throws Problem `invalid_token`, `forbidden` */
  authenticate(token: string): Promise<ActingOperator>;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Set before the operation runs, on routes whose permission is `session` or `instance`. */
    session: PersonSession | null;
    /** Set before the operation runs, on routes whose permission is `instance`. */
    operator: ActingOperator | null;
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
  /** When it began. */
  readonly sinceMs: number;
  readonly expiresAtMs: number;
}

/** The sessions of people; implemented by `domain/people`. */
export interface Sessions {
  /**
   * Finds the session of a cookie, and reads the records each time. Undefined when the session has ended.
   * @throws Problem `unavailable`
   */
  find(secret: string): Promise<PersonSession | undefined>;
  /** Origins of the portal's pages: `scheme://host[:port]`. */
  readonly portalOrigins: readonly string[];
}

/**
 * Authenticates by the session cookie.
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
    throw new Problem("forbidden", "Only operators of this server may do this.", {
      facts: () => ({ actor: { kind: "person", id: session.userId, orgId: null } }),
    });
  request.session = session;
  const { userId: id, confirmedAtMs } = session;
  if (permission === "instance") request.operator = { actor: { kind: "person", id }, confirmedAtMs };
  return session;
}

/**
 * Accepts only requests from pages of the portal (Fetch Metadata). Old browsers must send the portal's `Origin` (RFC
 * 6454). Browsers send the session cookie with every request, so other sites must not be able to use it.
 * @throws Problem `cross_site`
 */
export function requireSameOrigin(request: FastifyRequest, origins: readonly string[]): void {
  const site = request.headers["sec-fetch-site"];
  if (site === undefined ? origins.includes(request.headers.origin ?? "") : site === "same-origin" || site === "none")
    return;
  throw new Problem("cross_site", "Only the portal's own pages may send this request.");
}

/**
 * Protects dangerous acts from a person who finds an unattended browser.
 * @throws Problem `confirmation_required`; for tokens, `insufficient_user_authentication` (RFC 9470)
 */
export function requireConfirmed(who: Principal | PersonSession | null, clock: Clock): void {
  if (who === null || ("kind" in who && who.kind === "credential")) return;
  if (clock.nowMs() - (who.confirmedAtMs ?? 0) <= CONFIRMATION_MS) return;
  const via = "kind" in who ? who.via : undefined;
  if (via === undefined)
    throw new Problem("confirmation_required", "Confirm who you are, then try again; it counts for ten minutes.");
  const remedy =
    via.kind === "login"
      ? "Run mooring login again."
      : "A personal access token never counts as one. Do it in the portal, or after mooring login.";
  throw new Problem("insufficient_user_authentication", `This act needs a sign-in of the last ten minutes. ${remedy}`);
}

/** @throws Problem `insufficient_user_authentication` if a person without a recent proof sent an access token */
export function requireConfirmedOperator({ confirmedAtMs }: ActingOperator, clock: Clock): void {
  if (confirmedAtMs === null || clock.nowMs() - confirmedAtMs <= CONFIRMATION_MS) return;
  const detail = "This act needs a sign-in of the last ten minutes. Run mooring login again.";
  throw new Problem("insufficient_user_authentication", detail);
}

/** Returns the operator of a request on a route that needs one. */
export function operatorOf(request: FastifyRequest): ActingOperator {
  if (request.operator === null) throw new Error("no operator: the route does not need one");
  return request.operator;
}

/** Returns the session of a request on a route that needs one. */
export function sessionOf(request: FastifyRequest): PersonSession {
  if (request.session === null) throw new Error("no session: the route does not need one");
  return request.session;
}
