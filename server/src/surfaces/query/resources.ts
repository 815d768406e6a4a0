import type { Scope } from "@mooring/contract";
import { type Principal, absent, requireOrganization, requireAllSeen } from "#domain/identity/index.ts";
import { type Project, projectFor } from "#domain/organizations/index.ts";
import { resourceOf } from "#domain/projects/index.ts";
import { findSavedQuery, type Author, type SavedQueriesDeps, type SavedQuery } from "#domain/saved-queries/index.ts";
import type { OperationContext } from "#http/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { QuerySurfaceDeps } from "./deps.ts";

type Deps = { readonly metadata: MetadataStore };

/** A person who changes a saved query must be able to run it. */
export const WRITING: readonly Scope[] = ["telemetry:write", "telemetry:read"];
export const READING: readonly Scope[] = ["telemetry:read"];

/** Returns the dependencies of `domain/saved-queries`. */
export function savedQueriesOf(deps: QuerySurfaceDeps): SavedQueriesDeps {
  return { metadata: deps.metadata, clock: deps.host.clock, telemetry: deps.store };
}

export function authorOf(context: OperationContext): Author {
  const { principal, ip, requestId, signal } = context;
  return { principal, ip, requestId, signal };
}

/** @throws Problem `not_found` (absent and hidden alike), `insufficient_scope` */
export async function savedQueryFor(
  deps: Deps,
  principal: Principal,
  id: string,
  permissions: readonly Scope[],
): Promise<SavedQuery> {
  const query = await findSavedQuery(deps, principal.orgId, id);
  if (query === undefined) throw absent();
  requireAllSeen(principal, permissions, resourceOf(query));
  return query;
}

/**
 * Returns the project for a new object, or null for the organization.
 * @throws Problem `not_found`, `forbidden`, `insufficient_scope`
 */
export async function placeFor(
  deps: Deps,
  principal: Principal,
  idOrSlug: string | undefined,
  permissions: readonly Scope[],
): Promise<Project | null> {
  if (idOrSlug === undefined) {
    for (const permission of permissions) requireOrganization(principal, permission);
    return null;
  }
  return projectFor(deps, principal, idOrSlug, ...permissions);
}
