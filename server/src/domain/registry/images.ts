import { type Reach, absent } from "#domain/identity/index.ts";
import { appendAudit } from "#domain/audit/index.ts";
import { auditOrigin, type Caller } from "#domain/organizations/index.ts";
import { Problem } from "#kernel/problem.ts";
import { expectedOf, requireMatch } from "#kernel/versions.ts";
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
import { nameOf, type RegistryDeps, type Repository } from "./types.ts";
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
 * Deletes everything in a repository: tags, manifests, blobs and uploads. It works in steps, so that a large repository
 * blocks nobody. Content that is pushed in the meantime may stay.
 * @throws Problem `conflict` if it has immutable tags
 */
export async function emptyRepository(deps: RegistryDeps, caller: Caller, repository: Repository): Promise<void> {
  const fixed = (await allTags(deps.metadata.read, repository.id)).filter((tag) =>
    matchesAny(tag, repository.immutableTags),
  );
  if (fixed.length > 0)
    throw new Problem("conflict", `The tag ${fixed[0]} is immutable. Change the repository's immutable_tags first.`);
  let [manifests, blobs] = [0, 0];
  const inSteps = async (step: () => Promise<number>): Promise<void> => {
    while ((await step()) > 0);
  };
  await inSteps(async () => {
    const count = await removeSome(deps, repository, "manifests");
    manifests += count;
    return count;
  });
  await inSteps(async () => {
    const count = await removeSome(deps, repository, "blobs");
    blobs += count;
    return count;
  });
  for (const upload of await uploadsOf(deps.metadata.read, repository.id)) await dropUpload(deps, upload);
  await deps.metadata.write(async (tx) => {
    const detail = { repository: nameOf(repository), manifests, blobs };
    await appendAudit(deps, tx, {
      ...auditOrigin(caller),
      orgId: repository.orgId,
      action: "repository.empty",
      target: { kind: "app", id: repository.id },
      detail,
    });
  });
}

async function removeSome(deps: RegistryDeps, { id, orgId }: Repository, what: "manifests" | "blobs"): Promise<number> {
  return deps.metadata.write(async (tx) => {
    await lockRegistry(deps, tx, orgId);
    const digests = await (what === "manifests" ? someManifests : someBlobs)(tx, id, BATCH);
    for (const digest of digests) {
      if (what === "manifests") await removeManifest(deps, tx, id, digest);
      else await unlinkBlob(deps, tx, id, digest);
    }
    return digests.length;
  });
}
