import { S3_KEY_SCOPES, stateAllows, type ORGANIZATION_ROUTES, type ResultOf, type Scope } from "@mooring/contract";
import { authorize, reachOf, requireOrganization } from "#domain/identity/index.ts";
import { membersWhoMay, type MemberAccess, type Project, projectIfNamed } from "#domain/organizations/index.ts";
import { ruleOf } from "#domain/projects/index.ts";
import { listAccessKeys } from "#domain/s3/index.ts";
import type { Operation, OperationContext } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../deps.ts";
import { actingOf, keyDepsOf } from "../resources.ts";

type Body = ResultOf<typeof ORGANIZATION_ROUTES.getAccess>;

/** Credentials, and keys, looked at for one answer: each costs reading who made it. */
const KEYS_MAX = 200;

export function getAccess(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.getAccess> {
  return async ({ query }, context) => {
    const { principal } = context;
    const { permission } = query;
    const { orgId } = principal;
    requireOrganization(principal, "org:read");
    const project = await projectIfNamed(deps, principal, query.project, "projects:read");
    const reach = reachOf(principal, "projects:read");
    const members = await membersWhoMay(deps, { orgId, permission, project, reach });
    const resource = project === undefined ? { orgId } : { orgId, project };
    const seesKeys = authorize(principal, "credentials:read", resource) === "allowed";
    const credentials = seesKeys ? await credentialsOf(deps, context, permission, project) : null;
    const keys = seesKeys ? await accessKeysOf(deps, context, permission, project) : null;
    return {
      permission,
      project: project === undefined ? null : { id: project.id, slug: project.slug, name: project.name },
      members: members.items.map(memberBody),
      credentials: credentials?.items ?? null,
      s3_keys: keys?.items ?? null,
      complete: members.complete && (credentials?.complete ?? true) && (keys?.complete ?? true),
    };
  };
}

function memberBody({ member, projectRole, allowed, because }: MemberAccess): Body["members"][number] {
  const { user_id, email, name, role } = member;
  return { user_id, email, name, role, project_role: projectRole, allowed, because };
}

interface Found<T> {
  readonly items: T[];
  readonly complete: boolean;
}

async function credentialsOf(
  deps: OrganizationSurfaceDeps,
  context: OperationContext,
  permission: Scope,
  project: Project | undefined,
): Promise<Found<NonNullable<Body["credentials"]>[number]>> {
  const listing = { limit: KEYS_MAX, ...onlyOf(project) };
  const { items, next } = await deps.identity.credentials.list(actingOf(context), listing);
  const nowMs = deps.clock.nowMs();
  return {
    items: items.filter(reaching(project)).map((credential) => ({
      id: credential.id,
      kind: credential.kind,
      client_id: credential.clientId,
      name: credential.name,
      project_id: credential.projectId,
      ...verdictOn(credential, { permission, project, nowMs }),
    })),
    complete: next === null || next === undefined,
  };
}

async function accessKeysOf(
  deps: OrganizationSurfaceDeps,
  context: OperationContext,
  permission: Scope,
  project: Project | undefined,
): Promise<Found<NonNullable<Body["s3_keys"]>[number]>> {
  if (!S3_KEY_SCOPES.some((scope) => scope === permission)) return { items: [], complete: true };
  const page = { limit: KEYS_MAX + 1, ...onlyOf(project) };
  const keys = await listAccessKeys(keyDepsOf(deps), actingOf(context), page);
  const nowMs = deps.clock.nowMs();
  return {
    items: keys
      .slice(0, KEYS_MAX)
      .filter(reaching(project))
      .map((key) => ({
        id: key.id,
        access_key_id: key.accessKeyId,
        name: key.name,
        project_id: key.projectId,
        ...verdictOn(key, { permission, project, nowMs }),
      })),
    complete: keys.length <= KEYS_MAX,
  };
}

/** Keys of the organization do not reach a private project: only its own are asked for. */
function onlyOf(project: Project | undefined): { projectId?: string } {
  return project?.visibility === "private" ? { projectId: project.id } : {};
}

function reaching(project: Project | undefined): (key: { readonly projectId: string | null }) => boolean {
  return ({ projectId }) => project === undefined || projectId === null || projectId === project.id;
}

interface Key {
  readonly projectId: string | null;
  readonly scopes: readonly Scope[];
  readonly effectiveScopes: readonly Scope[];
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
  readonly isPending: boolean;
}

interface Question {
  readonly permission: Scope;
  readonly project: Project | undefined;
  readonly nowMs: number;
}

function verdictOn(
  key: Key,
  { permission, project, nowMs }: Question,
): { readonly allowed: boolean; readonly because: string } {
  if (!key.scopes.includes(permission)) return { allowed: false, because: "its scopes are without it" };
  if (key.isPending) return { allowed: false, because: "it waits for an approval" };
  if (key.revokedAtMs !== null) return { allowed: false, because: "it was revoked with its parent" };
  if (key.expiresAtMs !== null && key.expiresAtMs <= nowMs) return { allowed: false, because: "it has expired" };
  if (!key.effectiveScopes.includes(permission))
    return { allowed: false, because: "its creator may not do it, or the organization's policy forbids it" };
  if (project !== undefined && !stateAllows(project.state, permission))
    return { allowed: false, because: `project ${project.slug} is ${ruleOf(project.state).name}` };
  return { allowed: true, because: key.projectId === null ? "its scopes" : "its scopes, in its project alone" };
}
