import { Problem } from "#kernel/problem.ts";
import type { Origin, PeopleDeps } from "../deps.ts";
import { organizationIdsOf } from "../store.ts";
import type { Guessed } from "./throttle.ts";

/**
 * Counts a failed proof, records it in each organization of the person, and answers it. The caller learns nothing of the reason:
 * an unknown address, a wrong password and a wrong code are answered alike.
 * @throws Problem `rate_limited` where others failed meanwhile
 */
export async function refuse(
  deps: PeopleDeps,
  attempt: {
    /** Null: the proof can't be guessed, so nothing is counted. */
    readonly account: string | null;
    /** A password when absent. */
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
  return new Problem("sign_in_failed", "That was not right. Check what you entered and try again.");
}
