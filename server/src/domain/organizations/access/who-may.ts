import { PROJECT_ROLES, type ProjectMemberRole, type Scope } from "@mooring/contract";
import {
  authorize,
  nameOfRole,
  PROJECT_ROLE_SCOPES,
  rightsOfGrants,
  scopesOfProjectRole,
  scopesOfRole,
  type ProjectRights,
  type Reach,
} from "#domain/identity/index.ts";
import { ruleOf, type Project } from "#domain/projects/index.ts";
import { ACTIVE } from "#domain/suspension/index.ts";
import { hasPassed, isoFromMs } from "#kernel/time.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { listMemberRows, type Member } from "../members/store.ts";
import { grantsWithin, type PersonGrant } from "./store.ts";

/** Whether a member has a permission, with the reason, for people to read. */
export interface MemberAccess {
  readonly member: Member;
  readonly projectRole: ProjectMemberRole | null;
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
  const { orgId, reach, nowMs } = question;
  const giving = PROJECT_ROLES.filter((role) => PROJECT_ROLE_SCOPES[role].has(question.permission));
  const which = project === undefined ? { roles: [...giving, "custom" as const] } : { projectId: project.id };
  const found = await grantsWithin(read, orgId, reach, { ...which, nowMs });
  const grants =
    project === undefined ? found.filter((grant) => scopesOfProjectRole(grant).has(question.permission)) : found;
  if (project !== undefined) {
    const of = Map.groupBy(grants, ({ userId }) => userId);
    return {
      items: members.map((member) =>
        inProject(question, project, member, rightsOfGrants(of.get(member.user_id) ?? [], nowMs)),
      ),
      complete,
    };
  }
  const places = placesOf(grants);
  return { items: members.map((member) => anywhere(question, member, places.get(member.user_id))), complete };
}

/** Returns, by user, the project in which their role gives them the permission. */
function placesOf(grants: readonly PersonGrant[]): Map<string, PersonGrant> {
  return new Map(grants.toSorted((a, b) => (a.slug < b.slug ? 1 : -1)).map((grant) => [grant.userId, grant]));
}

function anywhere({ permission, nowMs }: Question, member: Member, place: PersonGrant | undefined): MemberAccess {
  const role = nameOfRole(member);
  const found = { member, projectRole: null };
  if (hasPassed(member.expires_at, nowMs)) return { ...found, allowed: false, because: endedText(member) };
  if (scopesOfRole(member).has(permission)) return { ...found, allowed: true, because: `role ${role}` };
  if (place === undefined) return { ...found, allowed: false, because: `role ${role} does not have it` };
  return { ...found, projectRole: place.role, allowed: true, because: `${nameOfRole(place)} of project ${place.slug}` };
}

function inProject(
  { orgId, permission, nowMs }: Question,
  project: Project,
  member: Member,
  rights: ProjectRights | undefined,
): MemberAccess {
  const { user_id: id, email, expires_at: endsAtMs } = member;
  const role = nameOfRole(member);
  const projectRole = rights?.role;
  if (hasPassed(endsAtMs, nowMs))
    return { member, projectRole: projectRole ?? null, allowed: false, because: endedText(member) };
  const scopes = scopesOfRole(member);
  const projects = new Map(rights === undefined ? [] : [[project.id, rights]]);
  const who = { kind: "person", id, email, orgId, orgSlug: "", organization: ACTIVE } as const;
  const person = { ...who, role: member.role, scopes, endsAtMs, projects };
  const decision = authorize(person, permission, { orgId, project });
  const name = rights === undefined ? undefined : nameOfRole({ role: rights.role, custom_slug: rights.customRole });
  const there = name === undefined ? undefined : `${name} of project ${project.slug}`;
  const found = { member, projectRole: projectRole ?? null, allowed: decision === "allowed" };
  if (decision === "hidden")
    return { ...found, because: `not a member of ${member.role === "guest" ? "" : "private "}project ${project.slug}` };
  const both = [`role ${role}`, ...(there === undefined ? [] : [there])].join(", ");
  if (decision === "state") return { ...found, because: `project ${project.slug} is ${ruleOf(project.state).name}` };
  if (decision !== "allowed") return { ...found, because: `${both}: neither has it` };
  if (scopes.has(permission)) return { ...found, because: project.visibility === "private" ? both : `role ${role}` };
  return { ...found, because: there ?? both };
}

function endedText({ expires_at: endedAtMs }: Member): string {
  return `membership ended on ${isoFromMs(endedAtMs ?? 0)}`;
}
