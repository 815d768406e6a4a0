import type { MemberRole, Scope } from "@mooring/contract";
import type { AuditEvent } from "#domain/audit/index.ts";
import {
  auditActorOf,
  readOrigin,
  ORG_ROLE_SCOPES,
  scopesThere,
  type PersonPrincipal,
  type Principal,
} from "#domain/identity/index.ts";
import type { Project } from "#domain/projects/index.ts";
import { earliest, type Clock } from "#kernel/time.ts";
import type { MetadataStore, Reader } from "#stores/metadata/index.ts";
import { personPrincipal } from "./members/person.ts";

export interface OrganizationsDeps {
  readonly metadata: MetadataStore;
  readonly clock: Clock;
}

/** The command line and the installation itself. Anybody who can read the data directory can use them. */
export interface SystemPrincipal {
  readonly kind: "system";
}

/** The actor of a change, and its origin. */
export interface Caller {
  readonly principal: Principal | SystemPrincipal;
  readonly ip: string | null;
  readonly requestId: string | null;
  /** The actor in the audit log, if another one acts for the principal. */
  readonly actor?: AuditEvent["actor"];
}

export const SYSTEM: Caller = { principal: { kind: "system" }, ip: null, requestId: null };

/** The actor and the origin of an audit event. */
export function auditOrigin(caller: Caller): Pick<AuditEvent, "actor" | "ip" | "requestId" | "result"> {
  const { principal, ip, requestId } = caller;
  const own = principal.kind === "system" ? { kind: principal.kind, id: null } : auditActorOf(principal);
  const actor = caller.actor ?? own;
  return { actor, ip, requestId, result: "success" };
}

/** The permissions that a caller may give to others. */
export interface Grantor {
  /** Undefined: a credential whose responsible person has left the organization. */
  readonly role: MemberRole | undefined;
  /** The responsible person. Undefined for credentials that the installation itself created. */
  readonly userId: string | undefined;
  readonly scopes: ReadonlySet<Scope>;
  /** When the membership of the person ends. They can't give anything for longer. Null: no end. */
  readonly endsAtMs: number | null;
}

/**
 * Returns the permissions that the caller may give. A credential acts for the person at the beginning of its
 * chain, but with its own scopes only.
 */
export async function grantorOf(db: Reader, caller: Caller, orgId: string, nowMs: number): Promise<Grantor> {
  const { principal } = caller;
  if (principal.kind === "system")
    return { role: "owner", userId: undefined, scopes: ORG_ROLE_SCOPES.owner, endsAtMs: null };
  if (principal.kind === "person") {
    const { role, id: userId, scopes, endsAtMs } = principal;
    return { role, userId, scopes, endsAtMs };
  }
  return grantorOfCredential(db, orgId, principal, nowMs);
}

/** Returns the permissions that a credential may give. It need not be the caller. */
export async function grantorOfCredential(
  db: Reader,
  orgId: string,
  credential: { readonly id: string; readonly scopes: ReadonlySet<Scope> },
  nowMs: number,
): Promise<Grantor> {
  const { id, scopes } = credential;
  const origin = await readOrigin(db, orgId, id, nowMs);
  if (origin === "system") return { role: "owner", userId: undefined, scopes, endsAtMs: null };
  if (origin === undefined || origin.role === null)
    return { role: undefined, userId: undefined, scopes, endsAtMs: null };
  const { role, userId, endsAtMs } = origin;
  return { role, userId, scopes, endsAtMs };
}

/** Returns the caller's scopes for a project, to compare them with the scopes of a role there. */
export function scopesInProject(caller: Caller, projectId: string): ReadonlySet<Scope> {
  const { principal } = caller;
  if (principal.kind === "system") return ORG_ROLE_SCOPES.owner;
  if (principal.kind === "credential") return principal.scopes;
  const rights = principal.projects.get(projectId);
  return rights === undefined ? principal.scopes : new Set([...principal.scopes, ...scopesThere(principal, rights)]);
}

/**
 * Returns when the permissions in a project end that the caller gives. Null: no end. A credential gives for no longer
 * than the person for whom it acts.
 */
export async function endOfGiver(
  db: Reader,
  caller: Caller,
  project: Pick<Project, "id" | "visibility"> & { readonly org_id: string },
  { given, nowMs }: { readonly given: ReadonlySet<Scope>; readonly nowMs: number },
): Promise<number | null> {
  const { principal } = caller;
  if (principal.kind === "person") return endInProject(principal, project, given);
  const { userId } = await grantorOf(db, caller, project.org_id, nowMs);
  const person = userId === undefined ? undefined : await personPrincipal(db, project.org_id, userId, nowMs);
  return person === undefined ? null : endInProject(person, project, given);
}

/**
 * Returns when a person's permissions in a project end, of which they give these. Null: no end. In a private project
 * the role in the organization counts only while the person is a member there.
 */
function endInProject(
  { endsAtMs, scopes, projects }: PersonPrincipal,
  { id, visibility }: Pick<Project, "id" | "visibility">,
  given: ReadonlySet<Scope>,
): number | null {
  const isByOrganization = visibility !== "private" && [...given].every((scope) => scopes.has(scope));
  return isByOrganization ? endsAtMs : earliest(endsAtMs, projects.get(id)?.endsAtMs ?? null);
}
