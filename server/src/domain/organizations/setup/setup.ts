import { closeSetUp, personById, proveAddress, setAddress } from "#domain/accounts/index.ts";
import { appendAudit } from "#domain/audit/index.ts";
import type { PersonPrincipal } from "#domain/identity/index.ts";
import { sha256Hex } from "#kernel/digest.ts";
import { newId } from "#kernel/ids.ts";
import { Problem } from "#kernel/problem.ts";
import { isWellFormedSecret, newSecret } from "#kernel/secrets.ts";
import type { Reader, Writer } from "#stores/metadata/index.ts";
import { auditOrigin, type Caller, type OrganizationsDeps } from "../caller.ts";
import { changeOrganization } from "../change.ts";
import type { Origin } from "../invitations/accept.ts";
import { personPrincipal } from "../members/person.ts";
import { setPerson } from "../members/store.ts";
import { organizationById } from "../organization/store.ts";
import { hashPassword } from "../password.ts";
import { insertSetupLink, setupLinkByToken, type SetupLink } from "./store.ts";

const LIFETIME_MS = 24 * 60 * 60 * 1000;

/**
 * Creates a link for a person without a password, in the caller's transaction. Returns its token. Only a hash of the
 * token is stored.
 */
export async function createSetupLink(
  deps: OrganizationsDeps,
  tx: Writer,
  caller: Caller,
  owner: { orgId: string; userId: string; byStart: boolean },
): Promise<string> {
  const at = deps.clock.nowMs();
  const token = newSecret("mrst");
  const row: SetupLink = {
    id: newId("setup", at),
    org_id: owner.orgId,
    user_id: owner.userId,
    token_hash: sha256Hex(token),
    created_at: at,
    expires_at: at + LIFETIME_MS,
    used_at: null,
    by_start: owner.byStart ? 1 : 0,
  };
  await insertSetupLink(tx, row);
  await appendAudit(deps, tx, {
    ...auditOrigin(caller),
    orgId: owner.orgId,
    action: "setup_link.create",
    target: { kind: "user", id: owner.userId },
    detail: { link: row.id, expires_at: row.expires_at },
  });
  return token;
}

/**
 * Returns the page that takes the token. The token is in the fragment: browsers send the fragment to no server, so it
 * reaches no log.
 */
export function setupUrl(portalUrl: string, token: string): string {
  return `${portalUrl}/setup#${token}`;
}

/**
 * Sets the person's name and password with a one-time link, and their address if they give another one. Returns them as
 * a principal.
 * @throws Problem `not_found` (unknown, used and expired links alike), `conflict` (another account has the address)
 */
export async function useSetupLink(
  deps: OrganizationsDeps,
  input: { token: string; name: string; password: string; email?: string | undefined },
  origin: Origin,
): Promise<PersonPrincipal> {
  const tokenHash = sha256Hex(input.token);
  // Checked before the expensive hash of the password. Checked again in the transaction, because a link works once.
  const { org_id: orgId } = await openLink(deps, deps.metadata.read, input.token, tokenHash);
  const passwordHash = await hashPassword(input.password);
  return changeOrganization(deps, orgId, async (tx) => {
    const { user_id: userId } = await openLink(deps, tx, input.token, tokenHash);
    await takeAddress(deps, tx, { userId, email: input.email }, origin);
    await setPerson(tx, userId, { name: input.name, password_hash: passwordHash });
    const principal = await personPrincipal(tx, orgId, userId, deps.clock.nowMs());
    if (principal === undefined) throw invalidLink();
    await appendAudit(deps, tx, {
      orgId,
      actor: { kind: "person", id: userId },
      action: "setup_link.use",
      target: { kind: "user", id: userId },
      result: "success",
      ...origin,
    });
    return principal;
  });
}

/** Returns the account of a set-up link. @throws Problem `not_found` */
export async function openSetupLink(
  deps: OrganizationsDeps,
  token: string,
): Promise<{ email: string; organization: { slug: string; name: string } }> {
  const { read } = deps.metadata;
  const link = await openLink(deps, read, token, sha256Hex(token));
  const [person, organization] = [await personById(read, link.user_id), await organizationById(read, link.org_id)];
  if (person === undefined || organization === undefined) throw invalidLink();
  return { email: person.email, organization: { slug: organization.slug, name: organization.name } };
}

/**
 * Sets the address. The address that the operator named counts as verified. One that is typed in here is unverified.
 */
async function takeAddress(
  deps: OrganizationsDeps,
  tx: Writer,
  { userId, email }: { userId: string; email: string | undefined },
  origin: Origin,
): Promise<void> {
  const present = (await personById(tx, userId))?.email;
  if (email === undefined || email.toLowerCase() === present) {
    await proveAddress(deps, tx, { userId, by: "set_up" }, origin);
    return;
  }
  await closeSetUp(deps, tx, userId, origin);
  await setAddress(deps, tx, { userId, email }, origin);
}

async function openLink(deps: OrganizationsDeps, db: Reader, token: string, tokenHash: string): Promise<SetupLink> {
  const link = isWellFormedSecret("mrst", token) ? await setupLinkByToken(db, tokenHash) : undefined;
  const isOpen = link !== undefined && link.used_at === null && link.expires_at > deps.clock.nowMs();
  const person = isOpen ? await personById(db, link.user_id) : undefined;
  // The person may have an account by other means since. An older link must not open it.
  if (isOpen && person?.password_hash === null && person.last_seen_at === null) return link;
  throw invalidLink();
}

function invalidLink(): Problem {
  return new Problem(
    "not_found",
    "This set-up link does not work: it was used, it has expired, or the server was set up since. The operator creates a new one with mooring bootstrap.",
  );
}
