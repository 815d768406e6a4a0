import {
  generateAuthenticationOptions,
  verifyAuthenticationResponse,
  type AuthenticationResponseJSON,
} from "@simplewebauthn/server";
import { decodeBase64Url } from "#kernel/decoding.ts";
import { SIGN_IN_ATTEMPT_MS } from "#kernel/limits.ts";
import { Problem } from "#kernel/problem.ts";
import type { Writer } from "#stores/metadata/index.ts";
import type { Origin, PeopleDeps } from "../deps.ts";
import { beginAttempt, finishAttempt, tryAttempt, type OpenAttempt } from "../sign-in/attempts.ts";
import { refuse } from "../sign-in/refusal.ts";
import { requirePasskeyPlace, type PasskeyPlace } from "./passkey-place.ts";
import { passkeyByCredential, passkeysOf, recordPasskeyUse, type PasskeyRow } from "./store.ts";

interface Proof {
  readonly ticket: string;
  readonly response: object;
}

type Kind = "passkey" | "confirmation";

/**
 * Returns the options with which the browser asks for a passkey: of anybody, or of one person.
 * @throws Problem `conflict`: passkeys don't work at this address, or the person has none
 */
export async function beginPasskeyProof(
  deps: PeopleDeps,
  who: { readonly kind: Kind; readonly userId: string | null },
  host: string | undefined,
): Promise<{ ticket: string; options: object }> {
  const place = requirePasskeyPlace(deps.portal, host);
  const own = who.userId === null ? [] : await passkeysOf(deps.metadata.read, who.userId);
  const usable = own.filter((row) => row.rp_id === place.rpId);
  if (who.userId !== null && usable.length === 0)
    throw new Problem("conflict", "You have no passkey for this address. Use your password.");
  const options = await generateAuthenticationOptions({
    rpID: place.rpId,
    timeout: SIGN_IN_ATTEMPT_MS,
    userVerification: "required",
    allowCredentials: usable.map((row) => ({
      id: row.credential_id,
      transports: JSON.parse(row.transports) as string[],
    })),
  });
  const data = { challenge: options.challenge, ...place };
  return { ticket: await beginAttempt(deps, { kind: who.kind, userId: who.userId, data }), options };
}

/**
 * Verifies what an authenticator signed, uses up the ticket, and runs `then` in the same transaction.
 * @throws Problem `sign_in_failed`
 */
export async function provePasskey<T>(
  deps: PeopleDeps,
  proof: Proof & { readonly kind: Kind; readonly userId: string | null },
  origin: Origin,
  then: (tx: Writer, userId: string) => Promise<T>,
): Promise<T> {
  const { kind, userId } = proof;
  const attempt = await tryAttempt(deps, kind, proof.ticket);
  const isTheirs = attempt !== undefined && attempt.userId === userId;
  const passkey = isTheirs ? await passkeyOf(deps, proof.response) : undefined;
  const isRight = passkey !== undefined && (userId === null || passkey.user_id === userId);
  const use = attempt === undefined || !isRight ? undefined : await verified(attempt, passkey, proof.response);
  const fail = async (reason: string): Promise<Problem> =>
    refuse(deps, { account: null, userId: passkey?.user_id ?? userId, reason, origin });
  if (attempt === undefined || passkey === undefined || use === undefined) throw await fail("wrong passkey");
  const done = await deps.metadata.write(async (tx) => {
    if (!(await finishAttempt(tx, attempt))) return undefined;
    await recordPasskeyUse(tx, passkey.id, { ...use, last_used_at: deps.clock.nowMs() });
    return { value: await then(tx, passkey.user_id) };
  });
  if (done === undefined) throw await fail("ticket used twice");
  return done.value;
}

async function passkeyOf(deps: PeopleDeps, response: object): Promise<PasskeyRow | undefined> {
  const { id } = response as { id?: unknown };
  return typeof id === "string" ? passkeyByCredential(deps.metadata.read, id) : undefined;
}

/** Returns the passkey's new counter. Undefined if it did not sign the expected challenge for the expected person. */
async function verified(
  attempt: OpenAttempt,
  passkey: PasskeyRow,
  response: object,
): Promise<{ counter: number; synced: number } | undefined> {
  const { challenge, rpId, origin } = attempt.data as unknown as PasskeyPlace & { challenge: string };
  const answer = await verifyAuthenticationResponse({
    response: response as AuthenticationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: rpId,
    requireUserVerification: true,
    credential: {
      id: passkey.credential_id,
      publicKey: Uint8Array.from(passkey.public_key),
      counter: passkey.counter,
    },
  }).catch(() => undefined); // it also throws if the counter went back
  if (answer?.verified !== true || passkey.rp_id !== rpId || !namesPerson(response, passkey)) return undefined;
  const { newCounter, credentialBackedUp } = answer.authenticationInfo;
  return { counter: newCounter, synced: credentialBackedUp ? 1 : 0 };
}

/** Whether the authenticator names the expected person, if it names one (WebAuthn Level 3, section 7.2, step 6). */
function namesPerson(response: object, passkey: PasskeyRow): boolean {
  const { userHandle } = (response as AuthenticationResponseJSON).response;
  return userHandle === undefined || decodeBase64Url(userHandle)?.toString() === passkey.user_id;
}
