import { auditPerson } from "#domain/accounts/index.ts";
import { announcePersonalTokens } from "#domain/identity/index.ts";
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

/** The parameters that every authenticator app supports (RFC 6238 with its defaults). */
const FORM = { issuer: "Mooring", algorithm: "SHA1", digits: 6, period: 30 } as const;
const SECRET_BYTES = 20;
/** Steps before and after the present one that count: clocks differ, and typing takes its time. */
const WINDOW = 1;

/** A new secret; it counts once a code of it was shown. @throws Problem `conflict` when one counts already */
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

/** Turns the app on by its first code. Returns the recovery codes. @throws Problem `conflict`, `sign_in_failed`, `rate_limited` */
export async function confirmTotp(deps: PeopleDeps, session: Session, code: string, origin: Origin): Promise<string[]> {
  const { userId } = session;
  deps.throttle.check(userId, origin, "code");
  const row = await findTotp(deps.metadata.read, userId);
  if (row === undefined) throw new Problem("conflict", "Ask for a new secret first; then enter a code of it.");
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

/** Turns the app off, and its recovery codes with it. */
export async function deleteTotp(deps: PeopleDeps, session: Session, origin: Origin): Promise<void> {
  await deps.metadata.write(async (tx) => {
    if (!(await deleteTotpRow(tx, session.userId))) return;
    await announcePersonalTokens(deps, tx, session.userId);
    await auditPerson(deps, tx, session.userId, { action: "totp.turn_off", origin });
  });
}

/** Uses a code up, in the caller's transaction. False: it is wrong, was used before, or no app is set up. */
export async function useTotpCode(deps: PeopleDeps, tx: Writer, userId: string, code: string): Promise<boolean> {
  const row = await confirmedTotp(tx, userId);
  const step = row === undefined ? undefined : stepOf(deps, row, code);
  return step !== undefined && useTotpStep(tx, userId, step);
}

/** The step that the code is of; undefined: of none that counts now. */
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

function placeOf(userId: string, createdAtMs: number) {
  return { table: "person_totp", id: userId, purpose: "totp", version: createdAtMs };
}

function alreadyOn(): Problem {
  return new Problem("conflict", "An authenticator app is set up already; turn it off first.");
}
