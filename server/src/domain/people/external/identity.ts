import { auditPerson, proveAddress, type Ended } from "#domain/accounts/index.ts";
import { announcePersonalTokens } from "#domain/identity/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { Reader, Writer } from "#stores/metadata/index.ts";
import type { Origin, PeopleDeps } from "../deps.ts";
import { passkeysOf } from "../factors/store.ts";
import type { Session } from "../sessions/sessions.ts";
import { personByEmail, personById, type Person } from "../store.ts";
import type { ExternalPerson } from "./provider.ts";
import { deleteIdentities, externalIdentity, identityAt, insertExternalIdentity, recordExternalUse } from "./store.ts";

/** The account of an identity, or the reason why there is none. */
export type Found =
  | { readonly userId: string; readonly email: string; readonly ended: Ended | null }
  | { readonly failure: "oidc_unknown" | "oidc_other" | "oidc_taken" };

/**
 * Finds the account of an identity by the provider's id. The first time, it finds the account by an address that the
 * provider verified. An account has only one identity at a provider. A second identity with the same address may belong
 * to the mailbox's next owner, so it gets no account until the account's person links it.
 */
export async function personOf(deps: PeopleDeps, tx: Writer, external: ExternalPerson, origin: Origin): Promise<Found> {
  const { issuer, subject, verifiedEmail } = external;
  await deps.metadata.lock(tx, `external_identity:${issuer} ${subject}`);
  const known = await externalIdentity(tx, issuer, subject);
  if (known !== undefined) {
    await recordExternalUse(tx, issuer, subject, deps.clock.nowMs());
    const person = await personById(tx, known.user_id);
    if (person === undefined) return { failure: "oidc_unknown" };
    return { userId: person.id, email: person.email, ended: await proved(deps, tx, person, external, origin) };
  }
  const found = verifiedEmail === null ? undefined : await personByEmail(tx, verifiedEmail);
  if (found === undefined) return { failure: "oidc_unknown" };
  await deps.metadata.lock(tx, `person:${found.id}`);
  const person = await personById(tx, found.id);
  if (person === undefined || person.email !== verifiedEmail) return { failure: "oidc_unknown" };
  if (await isAnothers(tx, person, issuer)) return { failure: "oidc_other" };
  const ended = await proved(deps, tx, person, external, origin);
  await link(deps, tx, person.id, external, origin);
  return { userId: person.id, email: person.email, ended };
}

/** Whether the provider's address belongs to an account that has another identity there. Changes nothing. */
export async function leadsToAnothers(
  db: Reader,
  { issuer, subject, verifiedEmail }: ExternalPerson,
): Promise<boolean> {
  if (verifiedEmail === null || (await externalIdentity(db, issuer, subject)) !== undefined) return false;
  const person = await personByEmail(db, verifiedEmail);
  return person !== undefined && isAnothers(db, person, issuer);
}

/**
 * Links an identity to the person who asked for it after a fresh sign-in. It replaces the old identity. It may also be
 * the first verification of the address.
 */
export async function linkTo(
  deps: PeopleDeps,
  tx: Writer,
  userId: string,
  { external, origin }: { readonly external: ExternalPerson; readonly origin: Origin },
): Promise<Found> {
  const { issuer, subject } = external;
  await deps.metadata.lock(tx, `external_identity:${issuer} ${subject}`);
  const known = await externalIdentity(tx, issuer, subject);
  if (known !== undefined && known.user_id !== userId) return { failure: "oidc_taken" };
  await deps.metadata.lock(tx, `person:${userId}`);
  const person = await personById(tx, userId);
  if (person === undefined) return { failure: "oidc_unknown" };
  const ended = await proved(deps, tx, person, external, origin);
  if (known === undefined) {
    await deleteIdentities(tx, userId, issuer);
    await link(deps, tx, userId, external, origin);
  }
  return { userId, email: person.email, ended };
}

/**
 * Unlinks the person's identity at this server's provider.
 * @throws Problem `not_found`, `conflict` (it is the last way to sign in)
 */
export async function deleteIdentity(deps: PeopleDeps, session: Session, origin: Origin): Promise<void> {
  const { userId } = session;
  await deps.metadata.write(async (tx) => {
    await deps.metadata.lock(tx, `person:${userId}`);
    const person = await personById(tx, userId);
    if (person?.password_hash === null && (await passkeysOf(tx, userId)).length === 0)
      throw new Problem("conflict", "This is the last way to sign in to your account. Set a password first.");
    if ((await deleteIdentities(tx, userId, null)) === 0)
      throw new Problem("not_found", "No single sign-on identity is linked to your account.");
    await announcePersonalTokens(deps, tx, userId);
    await auditPerson(deps, tx, userId, { action: "external_identity.unlink", origin });
  });
}

/**
 * Whether the account keeps its other identity. A verified account does. An unverified address belongs to nobody yet,
 * so the person who verifies it gets the account.
 */
async function isAnothers(db: Reader, person: Person, issuer: string): Promise<boolean> {
  return person.verified_at !== null && (await identityAt(db, person.id, issuer)) !== undefined;
}

async function proved(
  deps: PeopleDeps,
  tx: Writer,
  person: Person,
  { issuer, subject, verifiedEmail }: ExternalPerson,
  origin: Origin,
): Promise<Ended | null> {
  if (person.email !== verifiedEmail) return null;
  return proveAddress(deps, tx, { userId: person.id, by: "provider", identity: { issuer, subject } }, origin);
}

async function link(
  deps: PeopleDeps,
  tx: Writer,
  userId: string,
  { issuer, subject }: ExternalPerson,
  origin: Origin,
): Promise<void> {
  const at = deps.clock.nowMs();
  await insertExternalIdentity(tx, { issuer, subject, user_id: userId, created_at: at, last_used_at: at });
  await announcePersonalTokens(deps, tx, userId);
  await auditPerson(deps, tx, userId, { action: "external_identity.link", origin, detail: { issuer, subject } });
}
