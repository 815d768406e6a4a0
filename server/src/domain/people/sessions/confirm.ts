import type { Origin, PeopleDeps } from "../deps.ts";
import { provePasskey } from "../factors/passkey-proof.ts";
import { confirmedTotp } from "../factors/store.ts";
import { useTotpCode } from "../factors/totp.ts";
import { provePassword } from "../sign-in/password.ts";
import { refuse } from "../sign-in/refusal.ts";
import { confirmSession, type Session } from "./sessions.ts";

/** The proofs with which a signed-in person confirms their identity. */
export type Confirmation =
  | { readonly password: string; readonly code?: string | undefined }
  | { readonly ticket: string; readonly response: object };

interface Confirmed {
  /** The cookie's new value. */
  readonly secret: string;
  readonly confirmedAtMs: number;
}

/** @throws Problem `sign_in_failed`, `rate_limited`, `unavailable` */
export async function confirm(
  deps: PeopleDeps,
  session: Session,
  proof: Confirmation,
  origin: Origin,
): Promise<Confirmed> {
  if ("password" in proof) return byPassword(deps, session, proof, origin);
  const asked = { kind: "confirmation", userId: session.userId, ...proof } as const;
  return provePasskey(deps, asked, origin, (tx) => confirmSession(deps, tx, session, { origin, method: "passkey" }));
}

/** Confirms with the password. If an authenticator app is set up, its code is required, too, as at a sign-in. */
async function byPassword(
  deps: PeopleDeps,
  session: Session,
  proof: { readonly password: string; readonly code?: string | undefined },
  origin: Origin,
): Promise<Confirmed> {
  const { userId } = session;
  await provePassword(deps, session, proof.password, origin);
  const method = (await confirmedTotp(deps.metadata.read, userId)) === undefined ? "password" : "password_totp";
  const confirmed = await deps.metadata.write(async (tx) => {
    if (method === "password_totp" && !(await useTotpCode(deps, tx, userId, proof.code ?? ""))) return undefined;
    return confirmSession(deps, tx, session, { origin, method });
  });
  if (confirmed === undefined) throw await refuse(deps, { account: userId, userId, reason: "wrong code", origin });
  return confirmed;
}
