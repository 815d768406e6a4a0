import type { Writer } from "#stores/metadata/index.ts";
import type { Origin, PeopleDeps } from "../deps.ts";
import { useRecoveryCode } from "../factors/recovery-codes.ts";
import { useTotpCode } from "../factors/totp.ts";
import { beginSession } from "../sessions/sessions.ts";
import { finishAttempt, tryAttempt } from "./attempts.ts";
import type { SignInStep } from "./password.ts";
import { refuse } from "./refusal.ts";

export interface SecondStep {
  readonly ticket: string;
  readonly code: string;
}

/** @throws Problem `sign_in_failed`, `rate_limited` */
export function signInWithTotp(deps: PeopleDeps, input: SecondStep, origin: Origin): Promise<SignInStep> {
  const use = (tx: Writer, userId: string): Promise<boolean> => useTotpCode(deps, tx, userId, input.code);
  return secondStep(deps, input.ticket, origin, { method: "password_totp", use });
}

/** @throws Problem `sign_in_failed`, `rate_limited` */
export function signInWithRecoveryCode(deps: PeopleDeps, input: SecondStep, origin: Origin): Promise<SignInStep> {
  const use = (tx: Writer, userId: string): Promise<boolean> => useRecoveryCode(deps, tx, userId, input.code);
  return secondStep(deps, input.ticket, origin, { method: "recovery_code", use });
}

async function secondStep(
  deps: PeopleDeps,
  ticket: string,
  origin: Origin,
  factor: {
    readonly method: "password_totp" | "recovery_code";
    readonly use: (tx: Writer, userId: string) => Promise<boolean>;
  },
): Promise<SignInStep> {
  const attempt = await tryAttempt(deps, "second_factor", ticket);
  const userId = attempt?.userId ?? null;
  if (attempt === undefined || userId === null)
    throw await refuse(deps, { account: null, userId: null, reason: "unknown ticket", origin });
  deps.throttle.check(userId, origin, "code");
  const secret = await deps.metadata.write(async (tx) => {
    if (!(await factor.use(tx, userId)) || !(await finishAttempt(tx, attempt))) return undefined;
    return beginSession(deps, tx, userId, { method: factor.method, origin });
  });
  if (secret === undefined)
    throw await refuse(deps, { account: userId, guessed: "code", userId, reason: "wrong code", origin });
  return { status: "signed_in", secret };
}
