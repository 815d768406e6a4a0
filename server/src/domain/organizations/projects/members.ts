import type { Orphans, ProjectMemberRole, Scope } from "@mooring/contract";
import { enforceRecordLimit } from "#domain/limits/index.ts";
import { appendAudit } from "#domain/audit/index.ts";
import {
  lackingToWiden,
  planOf,
  nameOfRole,
  scopesOfProjectRole,
  type RoleOf,
  absent,
  type Plan,
  type Watched,
} from "#domain/identity/index.ts";
import type { Project } from "#domain/projects/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { Reader, Writer } from "#stores/metadata/index.ts";
import { auditOrigin, endOfGiver, grantorOf, scopesInProject, type Caller, type OrganizationsDeps } from "../caller.ts";
import { announceAccessChange } from "../change.ts";
import { listPage, type Page, type PageQuery } from "../pages.ts";
import { heirFor, memberVersion, orphansIn } from "../members/members.ts";
import { endDetail, isLater, requireEnd, requireWithinEnd } from "../members/ends.ts";
import {
  concludeOrphans,
  decideOrphans,
  commitEffects,
  planEffects,
  watchPerson,
  type Effects,
  type OrphansOptions,
} from "../members/orphans.ts";
import { beyond } from "../members/rules.ts";
import { findMember } from "../members/store.ts";
import { givenRole, isSameRole } from "../roles/given.ts";
import { found } from "./projects.ts";
import {
  deleteProjectRole,
  findProjectMember,
  listProjectMemberRows,
  maintainersOf,
  putProjectRole,
  type ProjectMember,
} from "./store.ts";

type ProjectKey = Pick<Project, "id" | "org_id">;

/** Lists members, newest person first. @throws Problem `invalid_parameter` for a foreign cursor */
export async function listProjectMembers(
  deps: Pick<OrganizationsDeps, "metadata">,
  project: Project,
  page: PageQuery,
): Promise<Page<ProjectMember>> {
  return listPage(
    page,
    (wanted) => listProjectMemberRows(deps.metadata.read, project, wanted),
    (row) => row.user_id,
  );
}

export interface ProjectMemberChange extends OrphansOptions {
  readonly userId: string;
  readonly role: ProjectMemberRole;
  /** The id or slug of the custom role, with the role `custom`. */
  readonly customRole?: string | undefined;
  /** Null: no end. Absent: the end stays. */
  readonly endsAtMs?: number | null | undefined;
}

/**
 * Sets the role of a member, and its end. Credentials of the person that lose scopes keep losing them, unless `orphans`
 * says otherwise.
 * @throws Problem `not_found`, `forbidden` (a role with permissions that the caller lacks), `conflict` (the last
 * maintainer), `concurrent_update`, `orphans_undecided`
 */
export async function setProjectMember(
  deps: OrganizationsDeps,
  caller: Caller,
  project: ProjectKey,
  options: ProjectMemberChange,
): Promise<ProjectMember> {
  const { userId } = options;
  const versionIn = async (db: Reader): Promise<object> =>
    versionOf(await findProjectMember(db, await found(db, project), userId), userId);
  const { member } = await commitEffects(
    deps,
    project.org_id,
    options,
    (tx) => memberChange(deps, tx, caller, { project, ...options }),
    () => versionIn(deps.metadata.read),
  );
  return member;
}

/** Returns the effects of `setProjectMember`, and changes nothing. */
export function planProjectMember(
  deps: OrganizationsDeps,
  caller: Caller,
  project: ProjectKey,
  options: ProjectMemberChange,
): Promise<Plan> {
  return planEffects(deps, options, (tx) => memberChange(deps, tx, caller, { project, ...options }));
}

function versionOf(member: ProjectMember | undefined, userId: string): object {
  return memberVersion(member ?? { user_id: userId, role: null });
}

interface Changed {
  readonly member: ProjectMember;
  readonly effects: Effects;
}

async function memberChange(
  deps: OrganizationsDeps,
  tx: Writer,
  caller: Caller,
  { project, userId, role, orphans = null, ...options }: ProjectMemberChange & { readonly project: ProjectKey },
): Promise<Changed> {
  const row = await found(tx, project);
  if ((await findMember(tx, row.org_id, userId)) === undefined) throw absent();
  const before = await findProjectMember(tx, row, userId);
  const version = versionOf(before, userId);
  const { endsAtMs: expires_at = before?.expires_at ?? null } = options;
  const to = await givenRole(tx, row.org_id, "project", { role, customRole: options.customRole });
  if (before !== undefined && isSameRole(before, to) && before.expires_at === expires_at)
    return unchanged(before, version);
  await requireMayGiveRole(deps, tx, caller, { project: row, before, to, endMs: expires_at });
  if (before?.role === "maintainer" && (role !== "maintainer" || expires_at !== null))
    await requireAnotherMaintainer(tx, row, userId);
  if (before === undefined) await enforceRecordLimit(deps.metadata, tx, "project_members_max", row.id);
  const watched = await watchPerson(deps, tx, row.org_id, userId);
  const created_at = deps.clock.nowMs();
  const named = { org_id: row.org_id, project_id: row.id, user_id: userId };
  // Only another member confirms the membership of an owner who entered the project.
  const { userId: giver } = await grantorOf(tx, caller, row.org_id, created_at);
  const { custom_role } = to;
  await putProjectRole(
    tx,
    { ...named, role, custom_role, created_at, expires_at },
    giver === userId ? before : undefined,
  );
  const { effects } = await orphansOf(deps, tx, caller, { row, userId, watched, orphans, version });
  await appendAudit(deps, tx, {
    ...auditOrigin(caller),
    orgId: row.org_id,
    action: "project.member.update",
    target: { kind: "project", id: row.id },
    detail: {
      user: userId,
      role: { from: before === undefined ? null : nameOfRole(before), to: nameOfRole(to) },
      ...endDetail(before?.expires_at ?? null, expires_at),
      ...(orphans === null ? {} : { orphans }),
    },
  });
  const after = await findProjectMember(tx, row, userId);
  if (after === undefined) throw new Error("the membership that was just written is missing");
  return { member: after, effects };
}

function unchanged(member: ProjectMember, version: object): Changed {
  const plan = planOf([], () => false, { adopts: [], projects: {}, version });
  return { member, effects: { plan, losses: [], version } };
}

/** Passes on or revokes the credentials that lost scopes in the project, and ends tokens of those that gained some. */
async function orphansOf(
  deps: OrganizationsDeps,
  tx: Writer,
  caller: Caller,
  options: {
    row: Project;
    userId: string;
    watched: readonly Watched[];
    orphans: Orphans | null;
    version: object;
  },
): Promise<{ effects: Effects; heirId: string | null }> {
  const { row, userId, watched, orphans, version } = options;
  const { org_id: orgId } = row;
  const grantor = await grantorOf(tx, caller, orgId, deps.clock.nowMs());
  const heir = orphans === "adopt" ? await heirFor(deps, tx, caller, orgId, { grantor, userId }) : undefined;
  const adopts = await decideOrphans(deps, tx, watched, { userId, orphans, heir });
  await announceAccessChange(deps, tx, orgId);
  const effects = await concludeOrphans(deps, tx, caller, { orgId, watched, adopts, projects: {}, version });
  return { effects, heirId: adopts.length === 0 ? null : (heir?.id ?? null) };
}

/** `orphans` is by default that of the policy. */
export interface ProjectRemoval extends OrphansOptions {
  readonly userId: string;
}

/**
 * Removes a member from the project. The caller becomes responsible for those of their credentials that would lose
 * scopes, or these are revoked.
 * @throws Problem `not_found`, `conflict` (the last maintainer of a private project), `concurrent_update`,
 * `orphans_undecided`
 */
export async function removeProjectMember(
  deps: OrganizationsDeps,
  caller: Caller,
  project: ProjectKey,
  options: ProjectRemoval,
): Promise<void> {
  await commitEffects(deps, project.org_id, options, (tx) => removal(deps, tx, caller, { project, ...options }));
}

/** Returns the effects of `removeProjectMember`, and changes nothing. */
export function planProjectRemoval(
  deps: OrganizationsDeps,
  caller: Caller,
  project: ProjectKey,
  options: ProjectRemoval,
): Promise<Plan> {
  return planEffects(deps, options, (tx) => removal(deps, tx, caller, { project, ...options }));
}

async function removal(
  deps: OrganizationsDeps,
  tx: Writer,
  caller: Caller,
  { project, userId, orphans: wanted }: ProjectRemoval & { readonly project: ProjectKey },
): Promise<{ effects: Effects }> {
  const row = await found(tx, project);
  const before = await findProjectMember(tx, row, userId);
  if (before === undefined) throw absent();
  if (before.role === "maintainer") await requireAnotherMaintainer(tx, row, userId);
  const orphans = await orphansIn(tx, row.org_id, wanted);
  const watched = await watchPerson(deps, tx, row.org_id, userId);
  await deleteProjectRole(tx, row, userId);
  const version = memberVersion(before);
  const { effects, heirId } = await orphansOf(deps, tx, caller, { row, userId, watched, orphans, version });
  await appendAudit(deps, tx, {
    ...auditOrigin(caller),
    orgId: row.org_id,
    action: "project.member.remove",
    target: { kind: "project", id: row.id },
    detail: { user: userId, role: nameOfRole(before), orphans, credentials_to: heirId },
  });
  return { effects };
}

/** Checks that a caller gives only permissions that they have in the project, and not for longer. */
export async function requireMayGiveRole(
  deps: Pick<OrganizationsDeps, "clock">,
  tx: Writer,
  caller: Caller,
  options: {
    readonly project: Project;
    readonly before: (RoleOf<ProjectMemberRole> & Pick<ProjectMember, "expires_at">) | undefined;
    readonly to: RoleOf<ProjectMemberRole>;
    readonly endMs: number | null;
  },
): Promise<void> {
  const { project, before, to, endMs } = options;
  const may = scopesOfProjectRole(to);
  const present = before === undefined ? new Set<Scope>() : scopesOfProjectRole(before);
  const isLonger = isLater(endMs, before?.expires_at ?? null);
  const isWider = beyond(may, present).length > 0 || isLonger;
  const nowMs = deps.clock.nowMs();
  if (endMs !== (before?.expires_at ?? null)) requireEnd(endMs, nowMs);
  if (isWider) requireWithinEnd(await endOfGiver(tx, caller, project, { given: may, nowMs }), endMs);
  const lacking = lackingToWiden(scopesInProject(caller, project.id), { isWider, may });
  if (lacking.length === 0) return;
  throw new Problem(
    "forbidden",
    `The role ${nameOfRole(to)} has permissions that you lack (${lacking.join(", ")}), so you can't give it.`,
  );
}

/** Refuses to remove the last maintainer: nobody else can see a private project and repair it. */
async function requireAnotherMaintainer(tx: Writer, project: Project, userId: string): Promise<void> {
  if (project.visibility !== "private") return;
  const others = (await maintainersOf(tx, project)).filter((id) => id !== userId);
  if (others.length > 0) return;
  throw new Problem(
    "conflict",
    "This is the last maintainer of a private project whose membership has no end. Make another person a maintainer first.",
  );
}
