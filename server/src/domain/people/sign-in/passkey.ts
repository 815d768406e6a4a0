import type { Origin, PeopleDeps } from "../deps.ts";
import { provePasskey } from "../factors/passkey-proof.ts";
import { beginSession } from "../sessions/sessions.ts";
import type { SignInStep } from "./password.ts";

/**
 * Signs in with a passkey. It needs no second step, because the authenticator verified its person.
 * @throws Problem `sign_in_failed`
 */
export async function signInWithPasskey(
  deps: PeopleDeps,
  input: { readonly ticket: string; readonly response: object },
  origin: Origin,
): Promise<SignInStep> {
  const proof = { kind: "passkey", userId: null, ...input } as const;
  const secret = await provePasskey(deps, proof, origin, (tx, userId) =>
    beginSession(deps, tx, userId, { method: "passkey", origin }),
  );
  return { status: "signed_in", secret };
}
