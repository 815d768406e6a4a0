import { auditPerson } from "#domain/accounts/index.ts";
import { announcePersonalTokens, type SealedPlace } from "#domain/identity/index.ts";
import { randomBytes } from "node:crypto";
import { Secret, TOTP } from "otpauth";
import { Problem } from "#kernel/problem.ts";
import type { Writer } from "#stores/metadata/index.ts";
import type { Origin, PeopleDeps } from "../deps.ts";
import { strengthenSession, type Session } from "../sessions/sessions.ts";
import { refuse } from "../sign-in/refusal.ts";
import { newRecoveryCodes } from "./recovery-codes.ts";
import {
  confirmedTotp,
  confirmTotpRow,
  deleteTotpRow,
  findTotp,
  replacePendingTotp,
  useTotpStep,
  type TotpRow,
} from "./store.ts";

/** The parameters that every authenticator app supports (the defaults of RFC 6238). */
const FORM = { issuer: "Mooring", algorithm: "SHA1", digits: 6, period: 30 } as const;
const SECRET_BYTES = 20;
/**
 * The number of steps before and after the current one that are accepted, because clocks differ and typing takes time.
 */
const WINDOW = 1;

/**
 * Creates a secret. It is valid after its first code was shown.
 * @throws Problem `conflict` if an app is already set up
 */
export async function beginTotp(deps: PeopleDeps, session: Session): Promise<{ secret: string; uri: string }> {
  const bytes = randomBytes(SECRET_BYTES);
  const at = deps.clock.nowMs();
  await deps.metadata.write(async (tx) => {
    if ((await confirmedTotp(tx, session.userId)) !== undefined) throw alreadyOn();
    await replacePendingTotp(tx, {
      user_id: session.userId,
      secret: deps.envelope.seal(placeOf(session.userId, at), bytes),
      created_at: at,
      confirmed_at: null,
      last_step: 0,
    });
  });
  const totp = totpOf(bytes, session.email);
  return { secret: totp.secret.base32, uri: totp.toString() };
}

/**
 * Confirms the app with its first code. Returns the recovery codes.
 * @throws Problem `conflict`, `sign_in_failed`, `rate_limited`
 */
export async function confirmTotp(deps: PeopleDeps, session: Session, code: string, origin: Origin): Promise<string[]> {
  const { userId } = session;
  deps.throttle.check(userId, origin, "code");
  const row = await findTotp(deps.metadata.read, userId);
  if (row === undefined) throw new Problem("conflict", "Ask for a new secret first. Then enter one of its codes.");
  if (row.confirmed_at !== null) throw alreadyOn();
  const step = stepOf(deps, row, code);
  if (step === undefined)
    throw await refuse(deps, { account: userId, guessed: "code", userId, reason: "wrong first code", origin });
  return deps.metadata.write(async (tx) => {
    if (!(await confirmTotpRow(tx, row, { confirmed_at: deps.clock.nowMs(), last_step: step }))) throw alreadyOn();
    const codes = await newRecoveryCodes(deps, tx, userId);
    await strengthenSession(tx, session);
    await announcePersonalTokens(deps, tx, userId);
    await auditPerson(deps, tx, userId, { action: "totp.turn_on", origin });
    return codes;
  });
}

/** Deletes the app with its recovery codes. */
export async function deleteTotp(deps: PeopleDeps, session: Session, origin: Origin): Promise<void> {
  await deps.metadata.write(async (tx) => {
    if (!(await deleteTotpRow(tx, session.userId))) return;
    await announcePersonalTokens(deps, tx, session.userId);
    await auditPerson(deps, tx, session.userId, { action: "totp.turn_off", origin });
  });
}

/** Uses up a code, in the caller's transaction. Returns false if it is wrong, was used before, or no app is set up. */
export async function useTotpCode(deps: PeopleDeps, tx: Writer, userId: string, code: string): Promise<boolean> {
  const row = await confirmedTotp(tx, userId);
  const step = row === undefined ? undefined : stepOf(deps, row, code);
  return step !== undefined && useTotpStep(tx, userId, step);
}

/** Returns the step of a code. Undefined if it matches no step that is accepted now. */
function stepOf({ envelope, clock }: PeopleDeps, row: TotpRow, code: string): number | undefined {
  const nowMs = clock.nowMs();
  const totp = totpOf(envelope.open(placeOf(row.user_id, row.created_at), row.secret), "");
  const delta = totp.validate({ token: code, timestamp: nowMs, window: WINDOW });
  return delta === null ? undefined : Math.floor(nowMs / 1000 / FORM.period) + delta;
}

function totpOf(bytes: Uint8Array, label: string): TOTP {
  const { buffer, byteOffset, byteLength } = Uint8Array.from(bytes);
  return new TOTP({
    ...FORM,
    label,
    secret: new Secret({ buffer: buffer.slice(byteOffset, byteOffset + byteLength) }),
  });
}

function placeOf(userId: string, createdAtMs: number): SealedPlace {
  return { table: "person_totp", id: userId, purpose: "totp", version: createdAtMs };
}

function alreadyOn(): Problem {
  return new Problem("conflict", "An authenticator app is already set up. Turn it off first.");
}
