import type { Scope } from "@mooring/contract";
import {
  findFile,
  findGrant,
  findTrashed,
  type Arrivals,
  type FilesDeps,
  type StoredFile,
  type TrashedFile,
} from "#domain/files/index.ts";
import { type Principal, absent, requireSeen } from "#domain/identity/index.ts";
import { projectFor } from "#domain/organizations/index.ts";
import { resourceOf } from "#domain/projects/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";

type Deps = { readonly metadata: MetadataStore };
type ArrivalDeps = Deps & { readonly arrivals: Arrivals | null };

/** @throws Problem `not_found` (absent and hidden alike), `insufficient_scope` */
export async function fileFor(
  deps: ArrivalDeps,
  principal: Principal,
  id: string,
  permission: Scope,
): Promise<StoredFile> {
  const found = await findFile(deps, principal.orgId, id);
  const file = found ?? (await arrivedFile(deps, principal, id, permission));
  if (file === undefined) throw absent();
  requireSeen(principal, permission, resourceOf(file));
  return file;
}

/** Returns a file in the trash. @throws Problem as above */
export async function trashedFor(
  deps: FilesDeps,
  principal: Principal,
  id: string,
  permission: Scope,
): Promise<TrashedFile> {
  const trashed = await findTrashed(deps, principal.orgId, id);
  if (trashed === undefined) throw absent();
  requireSeen(principal, permission, resourceOf(trashed));
  return trashed;
}

/** Returns the file whose content has arrived at the upstream store by its grant, if there is one. */
async function arrivedFile(
  { arrivals, ...deps }: ArrivalDeps,
  principal: Principal,
  id: string,
  permission: Scope,
): Promise<StoredFile | undefined> {
  const grant = arrivals === null ? undefined : await findGrant(deps, principal.orgId, id);
  if (grant === undefined) return undefined;
  requireSeen(principal, permission, resourceOf(grant));
  try {
    await arrivals?.settle(principal.orgId, id);
  } catch (error) {
    if (!(error instanceof Problem) || !error.isCallers) throw error;
    throw new Problem("not_found", `The upload was refused, and there is no file: ${error.message}`);
  }
  return findFile(deps, principal.orgId, id);
}

/** Checks a permission for a file, or for an upload that has not ended. @throws Problem as above */
export async function requireFileOrGrant(
  deps: ArrivalDeps,
  principal: Principal,
  id: string,
  permission: Scope,
): Promise<void> {
  const { orgId } = principal;
  const found = (await findFile(deps, orgId, id)) ?? (await findGrant(deps, orgId, id));
  if (found === undefined) throw absent();
  requireSeen(principal, permission, resourceOf(found));
  // Turns arrived content into a file first, so that the audit log has the deletion.
  if (!("blob_id" in found)) await deps.arrivals?.settle(orgId, id).catch(ignoreRefusal);
}

/**
 * Returns the named project; without a name, that of a project's credential, or null for the organization.
 * @throws Problem as above
 */
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
  return (await projectFor(deps, principal, named, permission)).id;
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof Problem) || !error.isCallers) throw error;
}
