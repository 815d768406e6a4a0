import type { Reader } from "#stores/metadata/index.ts";
import { confirmedTotp, countRecoveryCodes, passkeysOf } from "./store.ts";

/** How a person's account is kept. */
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
 * What a password must be followed by; empty: nothing. Only an authenticator app makes it so: a passkey works at one host
 * only, and whoever has nothing else must get in at another one.
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
