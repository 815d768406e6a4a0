import { auditPerson } from "#domain/accounts/index.ts";
import { announcePersonalTokens } from "#domain/identity/index.ts";
import {
  generateRegistrationOptions,
  verifyRegistrationResponse,
  type RegistrationResponseJSON,
} from "@simplewebauthn/server";
import { newId } from "#kernel/ids.ts";
import { enforceRecordLimit } from "#domain/limits/index.ts";
import { SIGN_IN_ATTEMPT_MS } from "#kernel/limits.ts";
import { Problem } from "#kernel/problem.ts";
import { isUniqueViolation } from "#stores/metadata/index.ts";
import type { Origin, PeopleDeps } from "../deps.ts";
import { hasExternalIdentity } from "../external/store.ts";
import { strengthenSession, type Session } from "../sessions/sessions.ts";
import { beginAttempt, finishAttempt, tryAttempt, type OpenAttempt } from "../sign-in/attempts.ts";
import { personById } from "../store.ts";
import { requirePasskeyPlace, type PasskeyPlace } from "./passkey-place.ts";
import { deletePasskeyRow, insertPasskey, passkeysOf, setPasskeyName, type PasskeyRow } from "./store.ts";

/** EdDSA, ES256 and RS256 (WebAuthn Level 3, section 5.4). Every authenticator supports at least one. */
const ALGORITHMS = [-8, -7, -257];

type Registered = NonNullable<Awaited<ReturnType<typeof verifyRegistrationResponse>>["registrationInfo"]>;

/**
 * Returns the options with which the browser creates a passkey, and the ticket for the result.
 * @throws Problem `conflict`, `limit_reached`
 */
export async function beginPasskey(
  deps: PeopleDeps,
  session: Session,
  host: string | undefined,
): Promise<{ ticket: string; options: object }> {
  const place = requirePasskeyPlace(deps.portal, host);
  // This check comes before the person creates the key. The check that counts is made when the key is stored.
  await deps.metadata.write((tx) => enforceRecordLimit(deps.metadata, tx, "passkeys_max", session.userId));
  const known = await passkeysOf(deps.metadata.read, session.userId);
  const options = await generateRegistrationOptions({
    rpName: "Mooring",
    rpID: place.rpId,
    userID: new TextEncoder().encode(session.userId),
    userName: session.email,
    userDisplayName: session.name === "" ? session.email : session.name,
    attestationType: "none",
    supportedAlgorithmIDs: ALGORITHMS,
    timeout: SIGN_IN_ATTEMPT_MS,
    excludeCredentials: known.filter((row) => row.rp_id === place.rpId).map((row) => ({ id: row.credential_id })),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
  const data = { challenge: options.challenge, ...place };
  return { ticket: await beginAttempt(deps, { kind: "new_passkey", userId: session.userId, data }), options };
}

/** Adds the passkey that the browser created. @throws Problem `conflict`, `invalid_body` */
export async function createPasskey(
  deps: PeopleDeps,
  session: Session,
  input: { readonly ticket: string; readonly name: string; readonly response: object },
  origin: Origin,
): Promise<PasskeyRow> {
  const attempt = await tryAttempt(deps, "new_passkey", input.ticket);
  if (attempt === undefined || attempt.userId !== session.userId)
    throw new Problem("conflict", "The time to add this passkey has expired. Start again.");
  const registered = await verified(attempt, input.response);
  const row = rowOf(deps, session, { name: input.name, registered, attempt });
  try {
    await deps.metadata.write(async (tx) => {
      await enforceRecordLimit(deps.metadata, tx, "passkeys_max", session.userId);
      if (!(await finishAttempt(tx, attempt))) throw new Problem("conflict", "This passkey was added just now.");
      await insertPasskey(tx, row);
      await strengthenSession(tx, session);
      await announcePersonalTokens(deps, tx, session.userId);
      const target = { kind: "passkey", id: row.id };
      await auditPerson(deps, tx, session.userId, { action: "passkey.create", origin, target });
    });
  } catch (error) {
    if (!isUniqueViolation(error, "passkey", ["credential_id"])) throw error;
    throw new Problem("conflict", "This passkey is already in use.");
  }
  return row;
}

/** @throws Problem `not_found` */
export async function renamePasskey(
  deps: PeopleDeps,
  session: Session,
  change: { readonly id: string; readonly name: string },
  origin: Origin,
): Promise<PasskeyRow> {
  const { id, name } = change;
  return deps.metadata.write(async (tx) => {
    const row = await setPasskeyName(tx, session.userId, id, name);
    if (row === undefined) throw absent();
    const target = { kind: "passkey", id };
    await auditPerson(deps, tx, session.userId, { action: "passkey.update", origin, target, detail: { name } });
    return row;
  });
}

/** Deletes a passkey. @throws Problem `not_found`, `conflict` (it is the last way to sign in) */
export async function deletePasskey(deps: PeopleDeps, session: Session, id: string, origin: Origin): Promise<void> {
  const { userId } = session;
  await deps.metadata.write(async (tx) => {
    await deps.metadata.lock(tx, `person:${userId}`);
    const known = await passkeysOf(tx, userId);
    if (!known.some((row) => row.id === id)) throw absent();
    const person = await personById(tx, userId);
    if (known.length === 1 && person?.password_hash === null && !(await hasExternalIdentity(tx, userId)))
      throw new Problem("conflict", "This is the last way to sign in to your account. Add another one first.");
    await deletePasskeyRow(tx, userId, id);
    await announcePersonalTokens(deps, tx, userId);
    await auditPerson(deps, tx, userId, { action: "passkey.delete", origin, target: { kind: "passkey", id } });
  });
}

async function verified(attempt: OpenAttempt, response: object): Promise<Registered> {
  const { challenge, rpId, origin } = attempt.data as unknown as PasskeyPlace & { challenge: string };
  const answer = await verifyRegistrationResponse({
    response: response as RegistrationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: rpId,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch(() => undefined); // the library's messages about invalid input are not for people
  if (answer?.verified === true) return answer.registrationInfo;
  throw new Problem("invalid_body", "The passkey could not be verified. Try again.", {
    errors: [{ pointer: "/response", detail: "is not what this server asked the browser for" }],
  });
}

function rowOf(
  { clock }: PeopleDeps,
  session: Session,
  made: { readonly name: string; readonly registered: Registered; readonly attempt: OpenAttempt },
): PasskeyRow {
  const { credential, credentialBackedUp } = made.registered;
  const at = clock.nowMs();
  return {
    id: newId("pass", at),
    user_id: session.userId,
    credential_id: credential.id,
    public_key: credential.publicKey,
    counter: credential.counter,
    transports: JSON.stringify(credential.transports ?? []),
    synced: credentialBackedUp ? 1 : 0,
    rp_id: String(made.attempt.data["rpId"]),
    name: made.name,
    created_at: at,
    last_used_at: null,
  };
}

function absent(): Problem {
  return new Problem("not_found", "You have no such passkey.");
}
