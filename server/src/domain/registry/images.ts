import { type Reach, absent } from "#domain/identity/index.ts";
import { appendAudit } from "#domain/audit/index.ts";
import { requireNoDeletionLock } from "#domain/projects/index.ts";
import { trashDaysOf, type TrashDeps } from "#domain/trash/index.ts";
import { auditOrigin, type Caller } from "#domain/organizations/index.ts";
import { Problem } from "#kernel/problem.ts";
import { expectedOf, requireMatch } from "#kernel/versions.ts";
import type { Writer } from "#stores/metadata/index.ts";
import { unlinkBlob } from "./blobs.ts";
import {
  allTags,
  repositoryRow,
  repositoryRows,
  someBlobs,
  someManifests,
  uploadsOf,
  type RepositoryRow,
} from "./images-store.ts";
import { matchesAny } from "./immutable.ts";
import { removeManifest } from "./manifests.ts";
import { lockRegistry } from "./repositories.ts";
import type { Retention } from "./retention.ts";
import { putSettings } from "./store.ts";
import { keepContents } from "./trash-images.ts";
import { nameOf, type RegistryDeps, type RemovalDeps, type Repository } from "./types.ts";
import { dropUpload } from "./uploads.ts";

type Deps = Pick<RegistryDeps, "metadata" | "clock">;

/** A repository with its settings and its usage. */
export interface RepositoryView extends Repository {
  readonly retention: Retention | null;
  readonly pulls: number;
  readonly lastPullAt: number | null;
  readonly lastPushAt: number | null;
}

/** Returns undefined if the repository does not exist. `authorize` decides who may see it. */
export async function findRepository(
  { metadata }: Pick<Deps, "metadata">,
  org: { readonly id: string; readonly slug: string },
  idOrSlug: string,
): Promise<RepositoryView | undefined> {
  const row = await repositoryRow(metadata.read, org.id, idOrSlug);
  return row === undefined ? undefined : viewOf(row, org.slug);
}

/** Returns the repositories within reach, of one project or all, before an id, newest first. */
export async function repositoriesBefore(
  { metadata }: Pick<Deps, "metadata">,
  org: { readonly id: string; readonly slug: string },
  reach: Reach,
  page: { readonly beforeId: string | undefined; readonly limit: number; readonly projectId: string | undefined },
): Promise<RepositoryView[]> {
  const rows = await repositoryRows(metadata.read, org.id, reach, page);
  return rows.map((row) => viewOf(row, org.slug));
}

function viewOf(row: RepositoryRow, orgSlug: string): RepositoryView {
  return {
    id: row.id,
    orgId: row.org_id,
    projectId: row.project_id,
    orgSlug,
    appSlug: row.slug,
    visibility: row.visibility,
    projectState: row.project_state,
    isPublic: row.is_public === 1,
    immutableTags: row.immutable_tags === null ? [] : (JSON.parse(row.immutable_tags) as string[]),
    retention: row.retention === null ? null : (JSON.parse(row.retention) as Retention),
    pulls: row.pulls ?? 0,
    lastPullAt: row.last_pull_at,
    lastPushAt: row.last_push_at,
  };
}

export interface RepositorySettings {
  readonly isPublic?: boolean | undefined;
  readonly immutableTags?: readonly string[] | undefined;
  readonly retention?: Retention | null | undefined;
}

/** @throws Problem `not_found`, `concurrent_update` */
export async function updateRepository(
  deps: Deps,
  caller: Caller,
  seen: RepositoryView,
  { change, ifMatch }: { readonly change: RepositorySettings; readonly ifMatch?: string | undefined },
): Promise<RepositoryView> {
  const expected = await expectedOf(ifMatch, async () => repositoryVersion(seen));
  return deps.metadata.write(async (tx) => {
    await deps.metadata.lock(tx, `repository:${seen.id}`);
    const row = await repositoryRow(tx, seen.orgId, seen.id);
    if (row === undefined) throw absent();
    const before = viewOf(row, seen.orgSlug);
    requireMatch(expected, repositoryVersion(before));
    const after = changedBy(before, change);
    await putSettings(tx, { id: before.id, org_id: before.orgId, ...settingsOf(after) }, deps.clock.nowMs());
    await appendAudit(deps, tx, {
      ...auditOrigin(caller),
      orgId: before.orgId,
      action: "repository.update",
      target: { kind: "app", id: before.id },
      detail: { repository: nameOf(before), before: settingsOf(before), after: settingsOf(after) },
    });
    return after;
  });
}

/** The version of a repository covers what can be changed. */
export function repositoryVersion(repository: RepositoryView): object {
  return { id: repository.id, ...settingsOf(repository) };
}

function changedBy(before: RepositoryView, change: RepositorySettings): RepositoryView {
  return {
    ...before,
    isPublic: change.isPublic ?? before.isPublic,
    immutableTags: change.immutableTags ?? before.immutableTags,
    retention: change.retention === undefined ? before.retention : change.retention,
  };
}

function settingsOf({ isPublic, immutableTags, retention }: RepositoryView) {
  return {
    is_public: isPublic ? 1 : 0,
    immutable_tags: JSON.stringify(immutableTags),
    retention: retention === null ? null : JSON.stringify(retention),
  };
}

const BATCH = 100;

/**
 * Puts everything in a repository into the trash: tags, manifests and blobs. Uploads are deleted. Content that is pushed
 * in the meantime may stay.
 * @throws Problem `conflict` if it has immutable tags, or its project a deletion lock
 */
export async function emptyRepository(
  deps: RegistryDeps & TrashDeps,
  caller: Caller,
  repository: Repository,
): Promise<void> {
  await requireNoDeletionLock(deps.metadata.read, { org_id: repository.orgId, project_id: repository.projectId });
  const fixed = (await allTags(deps.metadata.read, repository.id)).filter((tag) =>
    matchesAny(tag, repository.immutableTags),
  );
  if (fixed.length > 0)
    throw new Problem("conflict", `The tag ${fixed[0]} is immutable. Change the repository's immutable_tags first.`);
  for (const upload of await uploadsOf(deps.metadata.read, repository.id)) await dropUpload(deps, upload);
  const isFinal = (await trashDaysOf(deps, deps.metadata.read, repository.orgId)) === 0;
  const erased = isFinal ? await eraseContents(deps, repository) : undefined;
  await deps.metadata.write(async (tx) => {
    await lockRegistry(deps, tx, repository.orgId);
    const counts = erased ?? (await keepContents(deps, tx, caller, repository));
    const detail = { repository: nameOf(repository), ...counts };
    await appendAudit(deps, tx, {
      ...auditOrigin(caller),
      orgId: repository.orgId,
      action: "repository.empty",
      target: { kind: "app", id: repository.id },
      detail,
    });
  });
}

/**
 * Deletes the content of a repository for good, with its uploads. It works in steps, so that a large repository blocks
 * nobody. Each can be repeated.
 */
export async function eraseContents(
  deps: RemovalDeps,
  repository: Pick<Repository, "id" | "orgId">,
  signal?: AbortSignal,
): Promise<{ readonly manifests: number; readonly blobs: number }> {
  const counts = { manifests: 0, blobs: 0 };
  for (const what of ["manifests", "blobs"] as const)
    for (let count = 1; count > 0; counts[what] += count) {
      signal?.throwIfAborted();
      count = await removeSome(deps, repository, what);
    }
  for (const upload of await uploadsOf(deps.metadata.read, repository.id)) await dropUpload(deps, upload);
  return counts;
}

async function removeSome(
  deps: RemovalDeps,
  { id, orgId }: Pick<Repository, "id" | "orgId">,
  what: "manifests" | "blobs",
): Promise<number> {
  return deps.metadata.write(async (tx) => {
    await lockRegistry(deps, tx, orgId);
    return removeBatch(deps, tx, id, what);
  });
}

/** Removes some manifests or blobs of a repository, in the caller's transaction. Returns their number. */
export async function removeBatch(
  deps: RemovalDeps,
  tx: Writer,
  id: string,
  what: "manifests" | "blobs",
): Promise<number> {
  const digests = await (what === "manifests" ? someManifests : someBlobs)(tx, id, BATCH);
  for (const digest of digests) {
    if (what === "manifests") await removeManifest(deps, tx, id, digest);
    else await unlinkBlob(deps, tx, id, digest);
  }
  return digests.length;
}
