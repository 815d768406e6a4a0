import type { MemberRole, OrgRole, Orphans } from "@mooring/contract";
import { appendAudit } from "#domain/audit/index.ts";
import {
  absent,
  endPersonalTokens,
  nameOfRole,
  ORG_ROLE_SCOPES,
  scopesOfRole,
  type PersonPrincipal,
  type Plan,
} from "#domain/identity/index.ts";
import { Problem } from "#kernel/problem.ts";
import { isId } from "#kernel/ids.ts";
import { hasPassed } from "#kernel/time.ts";
import type { Reader, Writer } from "#stores/metadata/index.ts";
import { auditOrigin, grantorOf, type Caller, type Grantor, type OrganizationsDeps } from "../caller.ts";
import { announceAccessChange } from "../change.ts";
import { policyOf } from "../organization/organization.ts";
import type { OrganizationPolicy } from "../organization/policy.ts";
import { organizationById } from "../organization/store.ts";
import { listPage, type Page, type PageQuery } from "../pages.ts";
import { putProjectRole } from "../projects/store.ts";
import { givenRole, isSameRole, type GivenRole } from "../roles/given.ts";
import {
  concludeOrphans,
  decideOrphans,
  heirIdOf,
  commitEffects,
  planEffects,
  watchPerson,
  type Effects,
  type OrphansOptions,
} from "./orphans.ts";
import { personPrincipal } from "./person.ts";
import { endDetail, isLater, requireEnd, requireWithinEnd } from "./ends.ts";
import { beyond, requireMayChange, requireMayGrant } from "./rules.ts";
import {
  deleteMembership,
  findMember,
  listMemberRows,
  ownersOf,
  projectsMaintainedAlone,
  setMember,
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

/** Returns the version of a member. It covers the role, in the organization or in a project, and its end. */
export function memberVersion(member: {
  readonly user_id: string;
  readonly role: string | null;
  readonly custom_role?: string | null;
  readonly expires_at?: number | null;
}): object {
  const { user_id, role, custom_role: custom = null, expires_at: end = null } = member;
  const more = { ...(custom === null ? {} : { custom_role: custom }), ...(end === null ? {} : { expires_at: end }) };
  return { user_id, role, ...more };
}

export interface MemberChange extends OrphansOptions {
  readonly userId: string;
  readonly role?: MemberRole | undefined;
  /** The id or slug of the custom role, with the role `custom`. */
  readonly customRole?: string | undefined;
  /** Null: no end. Absent: the end stays. */
  readonly endsAtMs?: number | null | undefined;
}

/**
 * Changes the role of a member, or the end of the membership.
 * @throws Problem `not_found`, `forbidden` (an owner's role, permissions that the caller lacks, or an end after the
 * caller's), `conflict` (the last owner), `invalid_body` (the end has passed), `concurrent_update`, `orphans_undecided`
 */
export async function changeMember(
  deps: OrganizationsDeps,
  caller: Caller,
  orgId: string,
  options: MemberChange,
): Promise<Member> {
  const { member } = await commitEffects(
    deps,
    orgId,
    options,
    (tx) => memberChange(deps, tx, caller, orgId, options),
    async () => memberVersion(await found(deps.metadata.read, orgId, options.userId)),
  );
  return member;
}

/** Returns the effects of `changeMember`, and changes nothing. */
export function planMember(
  deps: OrganizationsDeps,
  caller: Caller,
  orgId: string,
  options: MemberChange,
): Promise<Plan> {
  return planEffects(deps, options, (tx) => memberChange(deps, tx, caller, orgId, options));
}

async function memberChange(
  deps: OrganizationsDeps,
  tx: Writer,
  caller: Caller,
  orgId: string,
  { userId, orphans: wanted, ...change }: MemberChange,
): Promise<{ member: Member; effects: Effects }> {
  const orphans = wanted ?? null;
  const before = await found(tx, orgId, userId);
  const { endsAtMs: expires_at = before.expires_at } = change;
  const changed: Member = { ...before, ...(await roleWanted(tx, orgId, before, change)), expires_at };
  const after: Member = { ...changed, lowered_from: loweredFrom(before, changed) };
  const { role } = after;
  const grantor = await grantorOf(tx, caller, orgId, deps.clock.nowMs());
  requireMayChange(grantor, before.role);
  const watched = await watchPerson(deps, tx, orgId, userId);
  const conclude = (adopts: Plan["adopts"]): Promise<Effects> =>
    concludeOrphans(deps, tx, caller, { orgId, watched, adopts, projects: {}, version: memberVersion(before) });
  if (isSameRole(before, after) && before.expires_at === expires_at)
    return { member: before, effects: await conclude([]) };
  requireMayAlter(grantor, before, after, deps.clock.nowMs());
  if (before.role === "owner" && (role !== "owner" || expires_at !== null))
    await requireAnotherOwner(tx, orgId, userId);
  await setMember(tx, orgId, userId, after);
  const heir = orphans === "adopt" ? await heirFor(deps, tx, caller, orgId, { grantor, userId }) : undefined;
  const adopts = await decideOrphans(deps, tx, watched, { userId, orphans, heir });
  await announceAccessChange(deps, tx, orgId);
  await appendAudit(deps, tx, {
    ...auditOrigin(caller),
    orgId,
    action: "member.update",
    target: { kind: "user", id: userId },
    detail: {
      ...(isSameRole(before, after) ? {} : { role: { from: nameOfRole(before), to: nameOfRole(after) } }),
      ...endDetail(before.expires_at, expires_at),
      ...(orphans === null ? {} : { orphans }),
    },
  });
  return { member: after, effects: await conclude(adopts) };
}

/** Returns the role that a change gives. Absent: the role stays. */
async function roleWanted(
  tx: Writer,
  orgId: string,
  before: Member,
  { role, customRole }: Pick<MemberChange, "role" | "customRole">,
): Promise<GivenRole<MemberRole>> {
  if (role !== undefined) return givenRole(tx, orgId, "organization", { role, customRole });
  if (customRole !== undefined) return givenRole(tx, orgId, "organization", { role: before.role, customRole });
  const { custom_role, custom_slug, custom_scopes } = before;
  return { role: before.role, custom_role, custom_slug, custom_scopes };
}

/** Checks that the caller may give the member what the change adds. */
function requireMayAlter(grantor: Grantor, before: Member, after: Member, nowMs: number): void {
  const { role, expires_at: endMs } = after;
  const isWider = role === "owner" || beyond(scopesOfRole(after), scopesOfRole(before)).length > 0;
  const isLonger = isLater(endMs, before.expires_at);
  const isOther = !isSameRole(before, after);
  if ((isOther && isWider) || isLonger) requireMayGrant(grantor, after);
  if (endMs !== before.expires_at) requireEnd(endMs, nowMs);
  if (isLonger || (isWider && isOther)) requireWithinEnd(grantor.endsAtMs, endMs);
}

/** Returns the person who becomes responsible for the credentials of another one. */
export async function heirFor(
  deps: OrganizationsDeps,
  tx: Writer,
  caller: Caller,
  orgId: string,
  { grantor, userId }: { readonly grantor: Grantor; readonly userId: string },
): Promise<PersonPrincipal | undefined> {
  const nowMs = deps.clock.nowMs();
  const owners = await presentOwners(tx, orgId, nowMs);
  const id = heirIdOf(grantor, userId, { owners, named: (await policyIn(tx, orgId)).heir, caller });
  return id === undefined ? undefined : personPrincipal(tx, orgId, id, nowMs);
}

/** Returns what happens to the credentials of a member who leaves. */
export async function orphansIn(tx: Reader, orgId: string, wanted: OrphansOptions["orphans"]): Promise<Orphans | null> {
  return wanted === undefined ? (await policyIn(tx, orgId)).orphans : wanted;
}

async function policyIn(db: Reader, orgId: string): Promise<OrganizationPolicy> {
  const organization = await organizationById(db, orgId);
  if (organization === undefined) throw absent();
  return policyOf(organization);
}

/** `orphans` is by default that of the policy. */
export interface Removal extends OrphansOptions {
  readonly userId: string;
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
  await commitEffects(deps, orgId, options, (tx) => removalOf(deps, tx, caller, orgId, options));
}

/** Removes a person in the caller's transaction, which has the lock of the organization. */
export async function removeMemberIn(
  deps: OrganizationsDeps,
  tx: Writer,
  caller: Caller,
  orgId: string,
  removal: Removal,
): Promise<void> {
  await removalOf(deps, tx, caller, orgId, removal);
}

/** Whether the organization has an owner without end who is not this person. */
export async function hasOtherOwner(db: Reader, orgId: string, userId: string): Promise<boolean> {
  return (await ownersOf(db, orgId)).some((owner) => owner.expires_at === null && owner.user_id !== userId);
}

/** Whether the organization would have no owner without end after this person left. */
export async function isLastOwner(db: Reader, orgId: string, userId: string): Promise<boolean> {
  const owners = (await ownersOf(db, orgId)).filter((owner) => owner.expires_at === null);
  return owners.length === 1 && owners[0]?.user_id === userId;
}

/** Returns the effects of `removeMember`, and changes nothing. */
export function planRemoval(deps: OrganizationsDeps, caller: Caller, orgId: string, options: Removal): Promise<Plan> {
  return planEffects(deps, options, (tx) => removalOf(deps, tx, caller, orgId, options));
}

async function removalOf(
  deps: OrganizationsDeps,
  tx: Writer,
  caller: Caller,
  orgId: string,
  { userId, orphans: wanted }: Removal,
): Promise<{ effects: Effects }> {
  const member = await found(tx, orgId, userId);
  const orphans = await orphansIn(tx, orgId, wanted);
  const grantor = await grantorOf(tx, caller, orgId, deps.clock.nowMs());
  requireMayChange(grantor, member.role);
  if (member.role === "owner") await requireAnotherOwner(tx, orgId, userId);
  const watched = await watchPerson(deps, tx, orgId, userId);
  const projects = await transferProjects(deps, tx, orgId, { from: userId, preferred: grantor.userId });
  await deleteMembership(tx, orgId, userId);
  const heir = orphans === "adopt" ? await heirFor(deps, tx, caller, orgId, { grantor, userId }) : undefined;
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
      role: nameOfRole(member),
      credentials: theirs.filter((id) => isId("cred", id)),
      s3_keys: theirs.filter((id) => isId("key", id)),
      orphans,
      credentials_to: adopts.length === 0 ? null : (heir?.id ?? null),
      projects_to: projects,
    },
  });
  const version = memberVersion(member);
  return { effects: await concludeOrphans(deps, tx, caller, { orgId, watched, adopts, projects, version }) };
}

/** Returns the highest earlier role whose permissions the new one does not have. */
function loweredFrom({ role: present, lowered_from: earlier }: Member, after: Member): OrgRole | null {
  const from = earlier ?? present;
  if (from === "custom") return null; // Its scopes may change later.
  return beyond(ORG_ROLE_SCOPES[from], scopesOfRole(after)).length > 0 ? from : null;
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
  const at = deps.clock.nowMs();
  const others = (await presentOwners(tx, orgId, at)).filter((id) => id !== from);
  const heir = others.find((id) => id === preferred) ?? others[0];
  if (heir === undefined)
    throw new Problem("conflict", "A private project would have no maintainer. Make another person an owner first.");
  for (const projectId of orphans) {
    await putProjectRole(tx, {
      org_id: orgId,
      project_id: projectId,
      user_id: heir,
      role: "maintainer",
      created_at: at,
      expires_at: null,
    });
  }
  return Object.fromEntries(orphans.map((projectId) => [projectId, heir]));
}

/** Returns the ids of the owners whose membership has not ended, longest-standing first. */
async function presentOwners(db: Reader, orgId: string, nowMs: number): Promise<string[]> {
  const owners = await ownersOf(db, orgId);
  return owners.filter((owner) => !hasPassed(owner.expires_at, nowMs)).map((owner) => owner.user_id);
}

/** One owner at least must have no end. */
async function requireAnotherOwner(tx: Writer, orgId: string, userId: string): Promise<void> {
  const owners = await ownersOf(tx, orgId);
  const others = owners.filter((owner) => owner.user_id !== userId && owner.expires_at === null);
  if (others.length > 0) return;
  throw new Problem(
    "conflict",
    "This is the last owner of the organization whose membership has no end. Make another person an owner first.",
  );
}

async function found(db: Reader, orgId: string, userId: string): Promise<Member> {
  const member = await findMember(db, orgId, userId);
  if (member === undefined) throw absent();
  return member;
}
