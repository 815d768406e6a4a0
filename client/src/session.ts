import { PORTAL_ROUTES } from "@mooring/contract";
import type { Client } from "./client.ts";
import { renewed, type Tokens } from "./tokens.ts";

/** Returns the access tokens of the signed-in person for one organization. `session` sends the session's cookie. */
export function sessionTokens(session: Pick<Client, "call">, organization: string, nowMs: () => number): Tokens {
  return renewed(() => session.call(PORTAL_ROUTES.createSessionToken, { body: { organization } }), nowMs);
}
