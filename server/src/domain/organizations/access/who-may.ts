import { PROJECT_ROLES, type ProjectRole, type Scope } from "@mooring/contract";
import { authorize, ORG_ROLE_SCOPES, PROJECT_ROLE_SCOPES, rightsOfRole, type Reach } from "#domain/identity/index.ts";
import { ruleOf, type Project } from "#domain/projects/index.ts";
import { hasPassed, isoFromMs } from "#kernel/time.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { listMemberRows, type Member } from "../members/store.ts";
import { rolesIn, rolesWithin } from "./store.ts";

/** Whether a member has a permission, with the reason, for people to read. */
export interface MemberAccess {
  readonly member: Member;
  readonly projectRole: ProjectRole | null;
  readonly allowed: boolean;
  readonly because: string;
}

interface Question {
  readonly orgId: string;
  readonly permission: Scope;
  /** Absent: the organization, or the projects of `reach`. */
  readonly project?: Project | undefined;
  readonly reach: Reach;
  readonly nowMs: number;
}

/** The most members that one answer considers. */
const MEMBERS_MAX = 1000;

/** Returns the members who have the permission, newest first. `complete`: no members were left out. */
export async function membersWhoMay(
  deps: { readonly metadata: Pick<MetadataStore, "read"> },
  question: Question,
): Promise<{ items: MemberAccess[]; complete: boolean }> {
  const { read } = deps.metadata;
  const rows = await listMemberRows(read, question.orgId, { beforeId: undefined, limit: MEMBERS_MAX + 1 });
  const members = rows.slice(0, MEMBERS_MAX);
  const complete = rows.length <= MEMBERS_MAX;
  const { project } = question;
  if (project !== undefined) {
    const roles = new Map(
      (await rolesIn(read, question.orgId, project.id, question.nowMs)).map((row) => [row.user_id, row.role]),
    );
    return {
      items: members.map((member) => inProject(question, project, member, roles.get(member.user_id))),
      complete,
    };
  }
  const places = await placesOf(read, question);
  return { items: members.map((member) => anywhere(question, member, places.get(member.user_id))), complete };
}

/** Returns, by user, the project in which their role gives them the permission. */
async function placesOf(
  db: MetadataStore["read"],
  { orgId, permission, reach, nowMs }: Question,
): Promise<Map<string, { readonly role: ProjectRole; readonly slug: string }>> {
  const roles = PROJECT_ROLES.filter((role) => PROJECT_ROLE_SCOPES[role].has(permission));
  const rows = await rolesWithin(db, orgId, reach, { roles, nowMs });
  return new Map(rows.toSorted((a, b) => (a.slug < b.slug ? 1 : -1)).map((row) => [row.user_id, row]));
}

function anywhere(
  { permission, nowMs }: Question,
  member: Member,
  place: { readonly role: ProjectRole; readonly slug: string } | undefined,
): MemberAccess {
  const { role } = member;
  const found = { member, projectRole: null };
  if (hasPassed(member.expires_at, nowMs)) return { ...found, allowed: false, because: endedText(member) };
  if (ORG_ROLE_SCOPES[role].has(permission)) return { ...found, allowed: true, because: `role ${role}` };
  if (place === undefined) return { ...found, allowed: false, because: `role ${role} does not have it` };
  return { ...found, projectRole: place.role, allowed: true, because: `${place.role} of project ${place.slug}` };
}

function inProject(
  { orgId, permission, nowMs }: Question,
  project: Project,
  member: Member,
  projectRole: ProjectRole | undefined,
): MemberAccess {
  const { user_id: id, email, role, expires_at: endsAtMs } = member;
  if (hasPassed(endsAtMs, nowMs))
    return { member, projectRole: projectRole ?? null, allowed: false, because: endedText(member) };
  const scopes = ORG_ROLE_SCOPES[role];
  const projects = new Map(projectRole === undefined ? [] : [[project.id, rightsOfRole(projectRole)]]);
  const person = { kind: "person", id, email, orgId, orgSlug: "", role, scopes, endsAtMs, projects } as const;
  const decision = authorize(person, permission, { orgId, project });
  const there = projectRole === undefined ? undefined : `${projectRole} of project ${project.slug}`;
  const found = { member, projectRole: projectRole ?? null, allowed: decision === "allowed" };
  if (decision === "hidden")
    return { ...found, because: `not a member of ${role === "guest" ? "" : "private "}project ${project.slug}` };
  const both = [`role ${role}`, ...(there === undefined ? [] : [there])].join(", ");
  if (decision === "state") return { ...found, because: `project ${project.slug} is ${ruleOf(project.state).name}` };
  if (decision !== "allowed") return { ...found, because: `${both}: neither has it` };
  if (scopes.has(permission)) return { ...found, because: project.visibility === "private" ? both : `role ${role}` };
  return { ...found, because: there ?? both };
}

function endedText({ expires_at: endedAtMs }: Member): string {
  return `membership ended on ${isoFromMs(endedAtMs ?? 0)}`;
}
