import type { ORGANIZATION_ROUTES, Orphans, ResultOf } from "@mooring/contract";
import type { CredentialListing, NamedResources, NewCredential } from "#domain/identity/index.ts";
import { projectFor, projectIfNamed } from "#domain/organizations/index.ts";
import type { OperationContext } from "#http/index.ts";
import { msFromIso } from "#kernel/time.ts";
import type { OrganizationSurfaceDeps } from "./deps.ts";
import { activityBody } from "./model.ts";
import { pageOf } from "./query.ts";
import { tellManagers } from "./tell.ts";

/** What the operations on every kind of credential share. */

/** @throws Problem `not_found` for the project */
export async function listingOf(
  deps: OrganizationSurfaceDeps,
  { principal }: OperationContext,
  query: { project?: string; include_revoked?: boolean; limit?: number; cursor?: string },
): Promise<CredentialListing> {
  const project = await projectIfNamed(deps, principal, query.project, "credentials:read");
  return { ...pageOf(query), projectId: project?.id, includeRevoked: query.include_revoked };
}

/** @throws Problem `not_found` for the project, `insufficient_scope` */
export async function newOf(
  deps: OrganizationSurfaceDeps,
  { principal }: OperationContext,
  body: {
    name: string;
    project?: string | null;
    expires_at?: string | null;
    allowed_addresses?: readonly string[] | null;
    resources?: NamedResources | null;
  },
): Promise<Omit<NewCredential, "scopes">> {
  const { name, project: named = null, expires_at: expiresAt = null, allowed_addresses: allowedAddresses } = body;
  const project = named === null ? null : await projectFor(deps, principal, named, "credentials:write");
  const expiresAtMs = expiresAt === null ? null : msFromIso(expiresAt);
  return { name, projectId: project?.id ?? null, expiresAtMs, allowedAddresses, resources: body.resources };
}

/** Returns the options of a revocation. Managers get a mail about what depended on it. */
export function revocationOf(
  deps: OrganizationSurfaceDeps,
  { orphans, reason }: { orphans?: Orphans; reason?: "leak" },
  context: OperationContext,
) {
  const ifMatch = context.request.headers["if-match"];
  return { orphans, reason, ifMatch, onLosses: tellManagers(deps, context, "a credential was revoked") };
}

export async function activityOf(
  { identity: { activity } }: OrganizationSurfaceDeps,
  id: string,
): Promise<ResultOf<typeof ORGANIZATION_ROUTES.getCredentialActivity>> {
  await activity.flush(); // This node's latest counts are included, since people look for a request that they have just made.
  return activityBody(await activity.ofCredential(id));
}
