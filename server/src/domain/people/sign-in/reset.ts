import { useAccountLink, type Ended } from "#domain/accounts/index.ts";
import { hashPassword } from "#domain/organizations/index.ts";
import type { Origin, PeopleDeps } from "../deps.ts";
import { secondFactorsOf } from "../factors/factors.ts";
import { beginSession } from "../sessions/sessions.ts";
import { beginAttempt } from "./attempts.ts";
import type { SignInStep } from "./password.ts";

/** The result of a reset, and the content of its mail. */
export interface Reset {
  readonly step: SignInStep;
  readonly email: string;
  readonly ended: Ended | null;
}

/**
 * Sets a new password with a one-time link, and signs in. If an authenticator app is set up, its code is the second
 * step, as after a password. The link is checked before the expensive hash of the password.
 * @throws Problem `not_found`, `unavailable`
 */
export async function resetPassword(
  deps: PeopleDeps,
  input: { readonly token: string; readonly password: string },
  origin: Origin,
): Promise<Reset> {
  const passwordHash = await deps.throttle.hash(() => hashPassword(input.password));
  const use = { token: input.token, passwordHash };
  const { secret, methods, ...done } = await deps.metadata.write(async (tx) => {
    const used = await useAccountLink(deps, tx, use, origin);
    const factors = await secondFactorsOf(tx, used.userId);
    if (factors.length > 0) return { ...used, methods: factors, secret: null };
    const { userId, ended } = used;
    return {
      ...used,
      methods: factors,
      secret: await beginSession(deps, tx, userId, { method: "reset_link", origin, ended }),
    };
  });
  const { userId, email, ended } = done;
  if (secret !== null) return { step: { status: "signed_in", secret }, email, ended };
  const ticket = await beginAttempt(deps, { kind: "second_factor", userId });
  return { step: { status: "second_factor", ticket, methods }, email, ended };
}
