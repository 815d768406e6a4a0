import type { OrgRole } from "@mooring/contract";
import { appendAudit } from "#domain/audit/index.ts";
import {
  responsibleFor,
  lackingOf,
  ORG_ROLE_SCOPES,
  parsePolicy,
  requireNothingLacking,
  transferCredentials,
  type PersonPrincipal,
  type Standing,
  absent,
} from "#domain/identity/index.ts";
import { Problem } from "#kernel/problem.ts";
import { expectedOf, requireMatch } from "#kernel/versions.ts";
import type { Reader, Writer } from "#stores/metadata/index.ts";
import { auditOrigin, grantorOf, type Caller, type Grantor, type OrganizationsDeps } from "../caller.ts";
import { announceAccessChange, changeOrganization } from "../change.ts";
import { organizationById, type Organization } from "../organization/store.ts";
import { listPage, type Page, type PageQuery } from "../pages.ts";
import { putProjectRole } from "../projects/store.ts";
import { beyond, requireMayChange, requireMayGrant } from "./rules.ts";
import {
  deleteMembership,
  findMember,
  listMemberRows,
  ownersOf,
  projectRoles,
  projectsMaintainedAlone,
  setRole,
  type Member,
} from "./store.ts";

/** Lists members, newest first. @throws Problem `invalid_parameter` for a foreign cursor */
export async function listMembers(
  deps: Pick<OrganizationsDeps, "metadata">,
  orgId: string,
  page: PageQuery,
): Promise<Page<Member>> {
  return listPage(
    page,
    (wanted) => listMemberRows(deps.metadata.read, orgId, wanted),
    (row) => row.user_id,
  );
}

/** Returns a member as the principal of a request, with their current roles. Undefined if they are not a member. */
export async function personPrincipal(db: Reader, orgId: string, userId: string): Promise<PersonPrincipal | undefined> {
  return (await memberOf(db, orgId, userId))?.principal;
}

/** How a person is signed in. */
export interface SignedIn {
  readonly userId: string;
  readonly method: string;
  readonly hasSecondFactor: boolean;
  readonly confirmedAtMs: number;
}

/**
 * Returns a signed-in person as the principal of a request. This is the only check between a session and an
 * organization. A session that lacks a required factor continues, but has no access here.
 * @throws Problem `second_factor_required`, `provider_sign_in_required`
 */
export async function signedInPrincipal(
  db: Reader,
  orgId: string,
  session: SignedIn,
): Promise<PersonPrincipal | undefined> {
  const found = await memberOf(db, orgId, session.userId);
  if (found === undefined) return undefined;
  const { totp, passkeys } = found.member;
  const standing = standingOf(session, Number(totp) + Number(passkeys) > 0);
  requireNothingLacking(lackingOf(parsePolicy(found.organization.policy).people, standing));
  return { ...found.principal, confirmedAtMs: session.confirmedAtMs, standing };
}

/** A second factor that was removed after the sign-in does not count. */
export function standingOf(
  { method, hasSecondFactor }: Pick<SignedIn, "method" | "hasSecondFactor">,
  hasFactors: boolean,
): Standing {
  const byProvider = method === "oidc";
  return { byProvider, hasSecondFactor: byProvider || (hasSecondFactor && hasFactors) };
}

async function memberOf(
  db: Reader,
  orgId: string,
  userId: string,
): Promise<{ principal: PersonPrincipal; organization: Organization; member: Member } | undefined> {
  const [organization, member] = [await organizationById(db, orgId), await findMember(db, orgId, userId)];
  if (organization === undefined || member === undefined) return undefined;
  const roles = await projectRoles(db, orgId, userId);
  const principal: PersonPrincipal = {
    kind: "person",
    id: userId,
    email: member.email,
    orgId,
    orgSlug: organization.slug,
    role: member.role,
    scopes: ORG_ROLE_SCOPES[member.role],
    projects: new Map(roles.map(({ project_id, role }) => [project_id, role])),
  };
  return { principal, organization, member };
}

/** Returns the version of a member. It covers the role, in the organization or in a project. */
export function memberVersion({ user_id, role }: { readonly user_id: string; readonly role: string | null }): object {
  return { user_id, role };
}

/**
 * Changes the role of a member.
 * @throws Problem `not_found`, `forbidden` (an owner's role, or permissions that the caller lacks), `conflict` (the
 * last owner), `concurrent_update`
 */
export async function changeRole(
  deps: OrganizationsDeps,
  caller: Caller,
  orgId: string,
  options: { userId: string; role: OrgRole; ifMatch?: string | undefined },
): Promise<Member> {
  const { userId, role } = options;
  const expected = await expectedOf(options.ifMatch, async () =>
    memberVersion(await found(deps.metadata.read, orgId, userId)),
  );
  return changeOrganization(deps, orgId, async (tx) => {
    const member = await found(tx, orgId, userId);
    requireMatch(expected, memberVersion(member));
    const grantor = await grantorOf(tx, caller, orgId);
    requireMayChange(grantor, member.role);
    if (member.role === role) return member;
    if (role === "owner" || beyond(ORG_ROLE_SCOPES[role], ORG_ROLE_SCOPES[member.role]).length > 0)
      requireMayGrant(grantor, role);
    if (member.role === "owner") await requireAnotherOwner(tx, orgId, userId);
    await setRole(tx, orgId, userId, { role, loweredFrom: loweredFrom(member, role) });
    await announceAccessChange(deps, tx, orgId);
    await appendAudit(deps, tx, {
      ...auditOrigin(caller),
      orgId,
      action: "member.update",
      target: { kind: "user", id: userId },
      detail: { role: { from: member.role, to: role } },
    });
    return { ...member, role };
  });
}

/**
 * Removes a person from the organization. Their credentials and S3 keys lose every scope, or are transferred to the
 * caller. Private projects that only they maintained go to the caller if an owner, otherwise to the longest-standing
 * owner, because nobody else could see them.
 * @throws Problem `not_found`, `forbidden`, `conflict` (the last owner, or nobody can take over the credentials)
 */
export async function removeMember(
  deps: OrganizationsDeps,
  caller: Caller,
  orgId: string,
  options: { userId: string; transferCredentials: boolean },
): Promise<void> {
  const { userId, transferCredentials: handOver } = options;
  await changeOrganization(deps, orgId, async (tx) => {
    const member = await found(tx, orgId, userId);
    const grantor = await grantorOf(tx, caller, orgId);
    requireMayChange(grantor, member.role);
    if (member.role === "owner") await requireAnotherOwner(tx, orgId, userId);
    const { app: credentials, s3: s3Keys } = await responsibleFor(tx, orgId, userId);
    const heir = handOver ? requireHeir(grantor, userId) : null;
    const inherited = await transferProjects(deps, tx, orgId, { from: userId, preferred: grantor.userId });
    const to = heir === null ? undefined : await personPrincipal(tx, orgId, heir);
    if (to !== undefined) await transferCredentials(deps, tx, { orgId, from: userId, to });
    await deleteMembership(tx, orgId, userId);
    await announceAccessChange(deps, tx, orgId);
    await appendAudit(deps, tx, {
      ...auditOrigin(caller),
      orgId,
      action: "member.remove",
      target: { kind: "user", id: userId },
      detail: {
        role: member.role,
        credentials,
        s3_keys: s3Keys,
        credentials_to: heir,
        projects_to: inherited,
      },
    });
  });
}

/** Returns the highest earlier role whose permissions the new one does not have. */
function loweredFrom({ role: present, lowered_from: earlier }: Member, role: OrgRole): OrgRole | null {
  const from = earlier ?? present;
  return beyond(ORG_ROLE_SCOPES[from], ORG_ROLE_SCOPES[role]).length > 0 ? from : null;
}

function requireHeir(grantor: Grantor, userId: string): string {
  if (grantor.userId !== undefined && grantor.userId !== userId) return grantor.userId;
  throw new Problem(
    "conflict",
    "Nobody can take over the credentials. Do this as a person, or with a credential that another person created.",
  );
}

/** Returns the new maintainer of each project whose only maintainer was `from`. */
async function transferProjects(
  deps: OrganizationsDeps,
  tx: Writer,
  orgId: string,
  options: { from: string; preferred: string | undefined },
): Promise<Record<string, string>> {
  const { from, preferred } = options;
  const orphans = await projectsMaintainedAlone(tx, orgId, from);
  if (orphans.length === 0) return {};
  const owners = await ownersOf(tx, orgId);
  const others = owners.map((owner) => owner.user_id).filter((id) => id !== from);
  const heir = others.find((id) => id === preferred) ?? others[0];
  if (heir === undefined)
    throw new Problem("conflict", "A private project would have no maintainer. Make another person an owner first.");
  const at = deps.clock.nowMs();
  for (const projectId of orphans) {
    await putProjectRole(tx, {
      org_id: orgId,
      project_id: projectId,
      user_id: heir,
      role: "maintainer",
      created_at: at,
    });
  }
  return Object.fromEntries(orphans.map((projectId) => [projectId, heir]));
}

async function requireAnotherOwner(tx: Writer, orgId: string, userId: string): Promise<void> {
  const others = (await ownersOf(tx, orgId)).filter((owner) => owner.user_id !== userId);
  if (others.length > 0) return;
  throw new Problem("conflict", "This is the last owner of the organization. Make another person an owner first.");
}

async function found(db: Reader, orgId: string, userId: string): Promise<Member> {
  const member = await findMember(db, orgId, userId);
  if (member === undefined) throw absent();
  return member;
}
