import type { OrgRole } from "@mooring/contract";
import { appendAudit } from "#domain/audit/index.ts";
import {
  lackingOf,
  ORG_ROLE_SCOPES,
  parsePolicy,
  requireNothingLacking,
  requirePlan,
  type Plan,
  endPersonalTokens,
  type PersonPrincipal,
  type Standing,
  absent,
} from "#domain/identity/index.ts";
import { Problem } from "#kernel/problem.ts";
import { expectedOf, requireMatch } from "#kernel/versions.ts";
import { isId } from "#kernel/ids.ts";
import { rehearse, type Reader, type Writer } from "#stores/metadata/index.ts";
import { auditOrigin, grantorOf, type Caller, type Grantor, type OrganizationsDeps } from "../caller.ts";
import { announceAccessChange, changeOrganization } from "../change.ts";
import { organizationById, type Organization } from "../organization/store.ts";
import { listPage, type Page, type PageQuery } from "../pages.ts";
import { putProjectRole } from "../projects/store.ts";
import { concludeOrphans, decideOrphans, heirIdOf, watchPerson, type Orphans } from "./orphans.ts";
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

export interface RoleChange {
  readonly userId: string;
  readonly role: OrgRole;
  readonly ifMatch?: string | undefined;
  /** What happens to the credentials that would lose scopes. Absent: they lose them. */
  readonly orphans?: Orphans | undefined;
}

/**
 * Changes the role of a member.
 * @throws Problem `not_found`, `forbidden` (an owner's role, or permissions that the caller lacks), `conflict` (the
 * last owner), `concurrent_update`, `orphans_undecided`
 */
export async function changeRole(
  deps: OrganizationsDeps,
  caller: Caller,
  orgId: string,
  options: RoleChange,
): Promise<Member> {
  const expected = await expectedOf(options.ifMatch, async () =>
    memberVersion(await found(deps.metadata.read, orgId, options.userId)),
  );
  return changeOrganization(deps, orgId, async (tx) => {
    const { member, before, plan } = await roleChange(deps, tx, caller, orgId, options);
    if (expected !== "any" && !expected.includes(plan.etag)) requireMatch(expected, memberVersion(before));
    return member;
  });
}

/** Returns the effects of `changeRole`, and changes nothing. */
export function planRole(deps: OrganizationsDeps, caller: Caller, orgId: string, options: RoleChange): Promise<Plan> {
  return rehearse(deps.metadata, async (tx) => (await roleChange(deps, tx, caller, orgId, options)).plan);
}

async function roleChange(
  deps: OrganizationsDeps,
  tx: Writer,
  caller: Caller,
  orgId: string,
  { userId, role, orphans: wanted }: RoleChange,
): Promise<{ member: Member; before: Member; plan: Plan }> {
  const orphans = wanted ?? null;
  const before = await found(tx, orgId, userId);
  const grantor = await grantorOf(tx, caller, orgId);
  requireMayChange(grantor, before.role);
  const watched = await watchPerson(deps, tx, orgId, userId);
  const conclude = (adopts: Plan["adopts"]): Promise<Plan> =>
    concludeOrphans(deps, tx, caller, { orgId, watched, adopts, projects: {} });
  if (before.role === role) return { member: before, before, plan: await conclude([]) };
  if (role === "owner" || beyond(ORG_ROLE_SCOPES[role], ORG_ROLE_SCOPES[before.role]).length > 0)
    requireMayGrant(grantor, role);
  if (before.role === "owner") await requireAnotherOwner(tx, orgId, userId);
  await setRole(tx, orgId, userId, { role, loweredFrom: loweredFrom(before, role) });
  const heir = orphans === "adopt" ? await heirFor(tx, caller, orgId, { grantor, userId }) : undefined;
  const adopts = await decideOrphans(deps, tx, watched, { userId, orphans, heir });
  await announceAccessChange(deps, tx, orgId);
  await appendAudit(deps, tx, {
    ...auditOrigin(caller),
    orgId,
    action: "member.update",
    target: { kind: "user", id: userId },
    detail: { role: { from: before.role, to: role }, ...(orphans === null ? {} : { orphans }) },
  });
  return { member: { ...before, role }, before, plan: await conclude(adopts) };
}

async function heirFor(
  tx: Writer,
  caller: Caller,
  orgId: string,
  { grantor, userId }: { readonly grantor: Grantor; readonly userId: string },
): Promise<PersonPrincipal | undefined> {
  const owners = (await ownersOf(tx, orgId)).map((owner) => owner.user_id);
  const id = heirIdOf(grantor, userId, owners, caller);
  return id === undefined ? undefined : personPrincipal(tx, orgId, id);
}

export interface Removal {
  readonly userId: string;
  /** Default: `adopt`. Null: their credentials stay with them, and lose every scope. */
  readonly orphans?: Orphans | null | undefined;
  /** The `etag` of a plan: the effects must be the same. */
  readonly ifMatch?: string | undefined;
}

/**
 * Removes a person from the organization. The caller becomes responsible for their credentials and S3 keys, or these are
 * revoked. Private projects that only they maintained go to the caller if an owner, otherwise to the longest-standing
 * owner, because nobody else could see them.
 * @throws Problem `not_found`, `forbidden`, `conflict` (the last owner), `orphans_undecided`, `concurrent_update`
 */
export async function removeMember(
  deps: OrganizationsDeps,
  caller: Caller,
  orgId: string,
  options: Removal,
): Promise<void> {
  const expected = await expectedOf(options.ifMatch, () => Promise.resolve(undefined));
  await changeOrganization(deps, orgId, async (tx) => {
    requirePlan(expected, await removal(deps, tx, caller, orgId, options));
  });
}

/** Returns the effects of `removeMember`, and changes nothing. */
export function planRemoval(deps: OrganizationsDeps, caller: Caller, orgId: string, options: Removal): Promise<Plan> {
  return rehearse(deps.metadata, (tx) => removal(deps, tx, caller, orgId, options));
}

async function removal(
  deps: OrganizationsDeps,
  tx: Writer,
  caller: Caller,
  orgId: string,
  { userId, orphans = "adopt" }: Removal,
): Promise<Plan> {
  const member = await found(tx, orgId, userId);
  const grantor = await grantorOf(tx, caller, orgId);
  requireMayChange(grantor, member.role);
  if (member.role === "owner") await requireAnotherOwner(tx, orgId, userId);
  const watched = await watchPerson(deps, tx, orgId, userId);
  const projects = await transferProjects(deps, tx, orgId, { from: userId, preferred: grantor.userId });
  await deleteMembership(tx, orgId, userId);
  const heir = orphans === "adopt" ? await heirFor(tx, caller, orgId, { grantor, userId }) : undefined;
  const adopts = await decideOrphans(deps, tx, watched, { userId, orphans, heir });
  await endPersonalTokens(deps, tx, orgId, userId);
  await announceAccessChange(deps, tx, orgId);
  const theirs = watched.map(({ context }) => context.id);
  await appendAudit(deps, tx, {
    ...auditOrigin(caller),
    orgId,
    action: "member.remove",
    target: { kind: "user", id: userId },
    detail: {
      role: member.role,
      credentials: theirs.filter((id) => isId("cred", id)),
      s3_keys: theirs.filter((id) => isId("key", id)),
      orphans,
      credentials_to: adopts.length === 0 ? null : (heir?.id ?? null),
      projects_to: projects,
    },
  });
  return concludeOrphans(deps, tx, caller, { orgId, watched, adopts, projects });
}

/** Returns the highest earlier role whose permissions the new one does not have. */
function loweredFrom({ role: present, lowered_from: earlier }: Member, role: OrgRole): OrgRole | null {
  const from = earlier ?? present;
  return beyond(ORG_ROLE_SCOPES[from], ORG_ROLE_SCOPES[role]).length > 0 ? from : null;
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
