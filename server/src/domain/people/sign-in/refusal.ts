import { Problem } from "#kernel/problem.ts";
import type { Origin, PeopleDeps } from "../deps.ts";
import { organizationIdsOf } from "../store.ts";
import type { Guessed } from "./throttle.ts";

/**
 * Counts a failed proof, appends it to the audit log of each organization of the person, and returns the problem. An
 * unknown address, a wrong password and a wrong code get the same answer, so that the caller does not learn the reason.
 * @throws Problem `rate_limited` if others failed in the meantime
 */
export async function refuse(
  deps: PeopleDeps,
  attempt: {
    /** Null: the proof can't be guessed, so failures are not counted. */
    readonly account: string | null;
    /** Default: a password. */
    readonly guessed?: Guessed;
    readonly userId: string | null;
    readonly reason: string;
    readonly origin: Origin;
  },
): Promise<Problem> {
  const { account, userId, reason, origin } = attempt;
  const orgIds = userId === null ? [] : await organizationIdsOf(deps.metadata.read, userId);
  for (const orgId of orgIds.length === 0 ? [null] : orgIds)
    deps.refusals.record({
      orgId,
      credentialId: null,
      userId,
      signedIn: false,
      clientId: null,
      reason,
      ip: origin.ip,
      requestId: origin.requestId,
    });
  if (account !== null) deps.throttle.fail(account, origin, attempt.guessed);
  return new Problem("sign_in_failed", "The sign-in failed. Check what you entered and try again.");
}
