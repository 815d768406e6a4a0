import type { Scope } from "@mooring/contract";
import { findFile, findGrant, resourceOf, type StoredFile } from "#domain/files/index.ts";
import { authorize, type Principal, type Resource } from "#domain/identity/index.ts";
import { absent, findProject, type Caller } from "#domain/organizations/index.ts";
import { missingScope, type OperationContext } from "#http/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";

type Deps = { readonly metadata: MetadataStore };

export function callerOf({ principal, ip, requestId }: OperationContext): Caller {
  return { principal, ip, requestId };
}

/** @throws Problem `not_found` (absent and hidden alike), `insufficient_scope` */
export async function fileFor(deps: Deps, principal: Principal, id: string, permission: Scope): Promise<StoredFile> {
  const file = await findFile(deps, principal.orgId, id);
  if (file === undefined) throw absent();
  requireSeen(principal, permission, resourceOf(file));
  return file;
}

/** For what may be done to a file and to an upload that has not ended. @throws Problem as above */
export async function requireFileOrGrant(
  deps: Deps,
  principal: Principal,
  id: string,
  permission: Scope,
): Promise<void> {
  const { orgId } = principal;
  const found = (await findFile(deps, orgId, id)) ?? (await findGrant(deps, orgId, id));
  if (found === undefined) throw absent();
  requireSeen(principal, permission, resourceOf(found));
}

/** The project that is named; that of a project's credential when none is; null for the organization. @throws Problem as above */
export async function placeFor(
  deps: Deps,
  principal: Principal,
  idOrSlug: string | undefined,
  permission: Scope,
): Promise<string | null> {
  const named = idOrSlug ?? (principal.kind === "credential" ? (principal.projectId ?? undefined) : undefined);
  if (named === undefined) {
    requireSeen(principal, permission, { orgId: principal.orgId });
    return null;
  }
  const project = await findProject(deps, principal.orgId, named);
  if (project === undefined) throw absent();
  requireSeen(principal, permission, { orgId: principal.orgId, project });
  return project.id;
}

/** @throws Problem `not_found`, `insufficient_scope` */
export function requireSeen(principal: Principal, permission: Scope, resource: Resource): void {
  const decision = authorize(principal, permission, resource);
  if (decision === "hidden") throw absent();
  if (decision === "insufficient_scope") throw missingScope(permission);
}
