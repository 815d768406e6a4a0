import type { AuditEvent } from "#domain/audit/index.ts";
import { sha256Hex } from "#kernel/digest.ts";
import { newId } from "#kernel/ids.ts";
import { ACCOUNT_LINK_MS, ACCOUNT_LINKS_MAILED_MAX } from "#kernel/limits.ts";
import { Problem } from "#kernel/problem.ts";
import { isWellFormedSecret, newSecret } from "#kernel/secrets.ts";
import type { Reader, Writer } from "#stores/metadata/index.ts";
import { auditPerson } from "./audit.ts";
import type { AccountsDeps, Origin } from "./deps.ts";
import { proveAddress, type Ended } from "./first-proof.ts";
import {
  accountLinkByToken,
  countMailedLinks,
  deleteSecondFactor,
  deleteSessionsOf,
  insertAccountLink,
  personByEmail,
  personById,
  setAccount,
  useAccountLinks,
  type AccountLink,
  type Person,
} from "./store.ts";

export interface MadeLink {
  /** Only the hash is stored, so the token can be shown or mailed only once. */
  readonly token: string;
  readonly email: string;
  readonly expiresAtMs: number;
}

/**
 * Returns the page that takes the token. The token is in the fragment: browsers send the fragment to no server, so it
 * reaches no log.
 */
export function resetUrl(portalUrl: string, token: string): string {
  return `${portalUrl}/reset#${token}`;
}

/**
 * Creates a link to mail to the person's own address. Returns null if no account has the address, or too many links
 * were mailed within the hour.
 */
export async function createMailedLink(
  deps: AccountsDeps,
  who: { readonly email: string } | { readonly userId: string },
  origin: Origin,
): Promise<MadeLink | null> {
  return deps.metadata.write(async (tx) => {
    const person = await ("email" in who ? personByEmail(tx, who.email.toLowerCase()) : personById(tx, who.userId));
    if (person === undefined) return null;
    await deps.metadata.lock(tx, `person:${person.id}`);
    const sinceMs = deps.clock.nowMs() - ACCOUNT_LINK_MS;
    if ((await countMailedLinks(tx, person.id, sinceMs)) >= ACCOUNT_LINKS_MAILED_MAX) return null;
    const actor = "email" in who ? ({ kind: "anonymous", id: null } as const) : undefined;
    return createLink(deps, tx, person, { sentBy: "mail", clearsSecondFactor: false, actor, origin });
  });
}

/**
 * Creates a link that the operator gives to the person. It may remove the authenticator app and recovery codes, for a
 * person who lost them.
 * @throws Problem `not_found`
 */
export async function createOperatorLink(
  deps: AccountsDeps,
  who: { readonly email: string } | { readonly userId: string },
  options: { readonly clearsSecondFactor: boolean; readonly actor: AuditEvent["actor"]; readonly origin: Origin },
): Promise<MadeLink> {
  return deps.metadata.write(async (tx) => {
    const person = await ("email" in who ? personByEmail(tx, who.email.toLowerCase()) : personById(tx, who.userId));
    if (person === undefined) throw new Problem("not_found", "There is no such account.");
    return createLink(deps, tx, person, { sentBy: "operator", ...options });
  });
}

/**
 * Returns the purpose of a link before it is used.
 * @throws Problem `not_found`: unknown, used and expired links alike
 */
export async function openAccountLink(
  deps: AccountsDeps,
  token: string,
): Promise<{ person: Person; clearsSecondFactor: boolean }> {
  const { link, person } = await open(deps, deps.metadata.read, token);
  return { person, clearsSecondFactor: link.clears_second_factor === 1 };
}

/** Finds a link by its token, also if it was used or has expired. */
export async function accountLinkOf(db: Reader, token: string): Promise<AccountLink | undefined> {
  return accountLinkByToken(db, sha256Hex(token));
}

/** The result of using a link. */
export interface LinkUse {
  readonly userId: string;
  readonly email: string;
  /** Set if the link verified the address for the first time. Null if nothing had to end. */
  readonly ended: Ended | null;
}

/**
 * Sets the password, in the caller's transaction, and ends every session. If the address was unverified, everything
 * older ends, too (see `proveAddress`). Otherwise a second factor stays required, unless the operator's link removes
 * it.
 * @throws Problem `not_found`
 */
export async function useAccountLink(
  deps: AccountsDeps,
  tx: Writer,
  use: { readonly token: string; readonly passwordHash: string },
  origin: Origin,
): Promise<LinkUse> {
  const { link, person } = await open(deps, tx, use.token);
  const userId = person.id;
  const by = link.sent_by === "mail" ? "mailed_link" : "operator_link";
  const ended = await proveAddress(deps, tx, { userId, by }, origin);
  const sessions = (ended?.sessions ?? 0) + (await deleteSessionsOf(tx, userId));
  const isCleared = link.clears_second_factor === 1 && (await deleteSecondFactor(tx, userId));
  await setAccount(tx, userId, { password_hash: use.passwordHash });
  await useAccountLinks(tx, userId, deps.clock.nowMs());
  const detail = { link: link.id, sent_by: link.sent_by, sessions, second_factor_cleared: isCleared };
  await auditPerson(deps, tx, userId, { action: "password.reset", origin, detail });
  return { userId, email: person.email, ended };
}

async function createLink(
  deps: AccountsDeps,
  tx: Writer,
  person: Person,
  options: {
    readonly sentBy: AccountLink["sent_by"];
    readonly clearsSecondFactor: boolean;
    readonly actor: AuditEvent["actor"] | undefined;
    readonly origin: Origin;
  },
): Promise<MadeLink> {
  const { sentBy, clearsSecondFactor, actor, origin } = options;
  const at = deps.clock.nowMs();
  const token = newSecret("mrrl");
  const row: AccountLink = {
    id: newId("link", at),
    user_id: person.id,
    email: person.email,
    token_hash: sha256Hex(token),
    sent_by: sentBy,
    clears_second_factor: clearsSecondFactor ? 1 : 0,
    created_at: at,
    expires_at: at + ACCOUNT_LINK_MS,
    used_at: null,
  };
  await insertAccountLink(tx, row);
  await auditPerson(deps, tx, person.id, {
    action: "reset_link.create",
    origin,
    ...(actor === undefined ? {} : { actor }),
    detail: { link: row.id, sent_by: sentBy, clears_second_factor: clearsSecondFactor, expires_at: row.expires_at },
  });
  return { token, email: person.email, expiresAtMs: row.expires_at };
}

async function open(deps: AccountsDeps, db: Reader, token: string): Promise<{ link: AccountLink; person: Person }> {
  const link = isWellFormedSecret("mrrl", token) ? await accountLinkByToken(db, sha256Hex(token)) : undefined;
  const person = link === undefined ? undefined : await personById(db, link.user_id);
  const isOpen = link !== undefined && link.used_at === null && link.expires_at > deps.clock.nowMs();
  if (isOpen && person?.email === link.email) return { link, person };
  throw new Problem(
    "not_found",
    "This link does not work: it was used, it is older than an hour, or it never existed. Ask for a new one on the page where you sign in.",
  );
}
