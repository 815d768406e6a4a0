import { S3_KEY_SCOPES, stateAllows, type ORGANIZATION_ROUTES, type ResultOf, type Scope } from "@mooring/contract";
import {
  authorize,
  reachOf,
  requireOrganization,
  type AnyCredential,
  type CredentialListing,
} from "#domain/identity/index.ts";
import { membersWhoMay, type MemberAccess, type Project, projectIfNamed } from "#domain/organizations/index.ts";
import { ruleOf } from "#domain/projects/index.ts";
import type { OperationContext } from "#http/index.ts";
import type { OrganizationOperation, OrganizationSurfaceDeps } from "../deps.ts";
import { actorContextOf } from "../resources.ts";

type Body = ResultOf<typeof ORGANIZATION_ROUTES.getAccess>;

/** The most entries of a list in one answer: each credential costs a read of its creators. */
const CREDENTIALS_MAX = 200;

export const getAccess: OrganizationOperation<"getAccess"> = async (deps, { query }, context) => {
  const { principal } = context;
  const { permission } = query;
  const { orgId } = principal;
  requireOrganization(principal, "org:read");
  const project = await projectIfNamed(deps, principal, query.project, "projects:read");
  const reach = reachOf(principal, "projects:read");
  const members = await membersWhoMay(deps, { orgId, permission, project, reach, nowMs: deps.clock.nowMs() });
  const resource = project === undefined ? { orgId } : { orgId, project };
  const seesKeys = authorize(principal, "credentials:read", resource) === "allowed";
  const question = { permission, project };
  const credentials = seesKeys ? await credentialsOf(deps, context, question) : null;
  const keys = seesKeys ? await s3KeysOf(deps, context, question) : null;
  return {
    permission,
    project: project === undefined ? null : { id: project.id, slug: project.slug, name: project.name },
    members: members.items.map(memberBody),
    credentials: credentials?.items ?? null,
    s3_keys: keys?.items ?? null,
    complete: members.complete && (credentials?.complete ?? true) && (keys?.complete ?? true),
  };
};

function memberBody({ member, projectRole, allowed, because }: MemberAccess): Body["members"][number] {
  const { user_id, email, name, role, custom_slug: custom_role } = member;
  return { user_id, email, name, role, custom_role, project_role: projectRole, allowed, because };
}

interface Found<T> {
  readonly items: T[];
  readonly complete: boolean;
}

async function reachingOf<C extends AnyCredential, B>(
  deps: OrganizationSurfaceDeps,
  list: (listing: CredentialListing) => Promise<{ items: C[]; nextCursor: string | null }>,
  { permission, project }: Omit<Question, "nowMs">,
  bodyOf: (credential: C) => B,
): Promise<Found<B & Verdict>> {
  const { items, nextCursor } = await list({ limit: CREDENTIALS_MAX, ...onlyOf(project) });
  const question = { permission, project, nowMs: deps.clock.nowMs() };
  return {
    items: items
      .filter(({ projectId }) => project === undefined || projectId === null || projectId === project.id)
      .map((credential) => ({ ...bodyOf(credential), ...verdictOn(credential, question) })),
    complete: nextCursor === null,
  };
}

function credentialsOf(
  deps: OrganizationSurfaceDeps,
  context: OperationContext,
  question: Omit<Question, "nowMs">,
): Promise<Found<NonNullable<Body["credentials"]>[number]>> {
  const list = (listing: CredentialListing) => deps.identity.credentials.list(actorContextOf(context), listing);
  return reachingOf(deps, list, question, ({ id, kind, clientId, name, projectId }) => ({
    id,
    kind,
    client_id: clientId,
    name,
    project_id: projectId,
  }));
}

async function s3KeysOf(
  deps: OrganizationSurfaceDeps,
  context: OperationContext,
  question: Omit<Question, "nowMs">,
): Promise<Found<NonNullable<Body["s3_keys"]>[number]>> {
  if (!S3_KEY_SCOPES.some((scope) => scope === question.permission)) return { items: [], complete: true };
  const list = (listing: CredentialListing) => deps.identity.s3Keys.list(actorContextOf(context), listing);
  return reachingOf(deps, list, question, ({ id, accessKeyId, name, projectId }) => ({
    id,
    access_key_id: accessKeyId,
    name,
    project_id: projectId,
  }));
}

/** Keys of the organization can't reach a private project, so only the project's keys are read. */
function onlyOf(project: Project | undefined): { projectId?: string } {
  return project?.visibility === "private" ? { projectId: project.id } : {};
}

interface Question {
  readonly permission: Scope;
  readonly project: Project | undefined;
  readonly nowMs: number;
}

interface Verdict {
  readonly allowed: boolean;
  readonly because: string;
}

function verdictOn(key: AnyCredential, { permission, project, nowMs }: Question): Verdict {
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
