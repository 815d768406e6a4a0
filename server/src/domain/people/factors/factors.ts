import type { Reader } from "#stores/metadata/index.ts";
import { confirmedTotp, countRecoveryCodes, passkeysOf } from "./store.ts";

/** The sign-in methods of a person's account. */
export interface Security {
  readonly hasTotp: boolean;
  readonly passkeys: number;
  readonly recoveryCodesLeft: number;
}

export async function securityOf(db: Reader, userId: string): Promise<Security> {
  return {
    hasTotp: (await confirmedTotp(db, userId)) !== undefined,
    passkeys: (await passkeysOf(db, userId)).length,
    recoveryCodesLeft: await countRecoveryCodes(db, userId),
  };
}

/**
 * Returns the second factors that a password sign-in requires. Empty: none. Only an authenticator app makes one
 * required: a passkey works at one host only, and a person with only passkeys must be able to sign in at another host.
 */
export async function secondFactorsOf(
  db: Reader,
  userId: string,
): Promise<readonly ("totp" | "recovery_code" | "passkey")[]> {
  const { hasTotp, passkeys, recoveryCodesLeft } = await securityOf(db, userId);
  if (!hasTotp) return [];
  return [
    "totp" as const,
    ...(recoveryCodesLeft > 0 ? (["recovery_code"] as const) : []),
    ...(passkeys > 0 ? (["passkey"] as const) : []),
  ];
}
