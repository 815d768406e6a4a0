import type { Reader } from "#stores/metadata/index.ts";
import { countRecoveryCodes, findTotp, passkeysOf } from "./store.ts";

/** How a person's account is kept. */
export interface Security {
  readonly hasTotp: boolean;
  readonly passkeys: number;
  readonly recoveryCodesLeft: number;
}

export async function securityOf(db: Reader, userId: string): Promise<Security> {
  const totp = await findTotp(db, userId);
  return {
    hasTotp: totp !== undefined && totp.confirmed_at !== null,
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
