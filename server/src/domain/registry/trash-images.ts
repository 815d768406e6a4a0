import { addUsage } from "#domain/quotas/index.ts";
import type { Caller } from "#domain/organizations/index.ts";
import { hiddenSlug } from "#domain/projects/index.ts";
import { moveToTrash, trashDaysOf, type TrashDeps } from "#domain/trash/index.ts";
import { newId } from "#kernel/ids.ts";
import type { Writer } from "#stores/metadata/index.ts";
import { parseDigest } from "./digest.ts";
import { manifestRow, tagRow, tagsOfManifest } from "./manifests-store.ts";
import {
  contentIds,
  copyManifests,
  insertKeeper,
  insertTags,
  manifestBytes,
  manifestsWith,
  moveContents,
  recount,
} from "./trash/store.ts";
import { CONTENT_OWNER, type RegistryDeps, type Repository } from "./types.ts";

/**
 * The trash of images. A hidden app keeps the deleted images, as a repository that nobody can name. So the rules of
 * garbage collection, quotas and checks are the same for it as for every other repository.
 */

/**
 * Copies an image into the trash, under the registry's lock. The caller deletes it: a tag, or by its digest a manifest
 * with all its tags. Does nothing if it does not exist, or if the trash keeps nothing.
 */
export async function keepImage(
  deps: RegistryDeps & TrashDeps,
  tx: Writer,
  caller: Caller,
  repository: Repository,
  reference: string,
): Promise<void> {
  const isDigest = parseDigest(reference) !== undefined;
  const { id: from, orgId } = repository;
  const tag = isDigest ? undefined : await tagRow(tx, from, reference);
  const digest = isDigest ? reference : tag?.digest;
  if (digest === undefined || (await manifestRow(tx, from, digest)) === undefined) return;
  if ((await trashDaysOf(deps, tx, orgId)) === 0) return;
  const tags = tag === undefined ? await tagsOfManifest(tx, from, digest) : [tag];
  const to = await newKeeper(deps, tx, repository);
  await copyManifests(tx, { from, to, digests: await manifestsWith(tx, from, digest) });
  for (const id of await contentIds(tx, to)) await deps.objects.link(tx, CONTENT_OWNER, id);
  addUsage(tx, "images", { org_id: orgId }, { bytes: await manifestBytes(tx, to) });
  await insertTags(
    tx,
    tags.map((row) => ({ ...row, repository: to })),
  );
  recount(tx, orgId, to);
  await moveToTrash(deps, tx, caller, {
    ...placeOf(repository),
    kind: "image",
    keeperId: to,
    name: `${repository.appSlug}${isDigest ? "@" : ":"}${reference}`,
    detail: { tags: tags.map(({ name }) => name).slice(0, TAGS_SHOWN) },
  });
}

const TAGS_SHOWN = 100;

/** Moves everything in a repository into the trash, under the registry's lock. Returns the counts. */
export async function keepContents(
  deps: Pick<RegistryDeps, "clock"> & TrashDeps,
  tx: Writer,
  caller: Caller,
  repository: Repository,
): Promise<{ readonly manifests: number; readonly blobs: number }> {
  const count = async (table: "registry_manifest" | "registry_blob"): Promise<number> => {
    const rows = tx.selectFrom(table).select((eb) => eb.fn.countAll().as("count"));
    return Number((await rows.where("repository", "=", repository.id).executeTakeFirst())?.count ?? 0);
  };
  const counts = { manifests: await count("registry_manifest"), blobs: await count("registry_blob") };
  if (counts.manifests + counts.blobs === 0) return counts;
  const keeperId = await newKeeper(deps, tx, repository);
  await moveContents(tx, repository.id, keeperId);
  recount(tx, repository.orgId, repository.id, keeperId);
  const item = { ...placeOf(repository), kind: "repository", keeperId, name: repository.appSlug } as const;
  await moveToTrash(deps, tx, caller, item);
  return counts;
}

async function newKeeper(
  { clock }: Pick<RegistryDeps, "clock">,
  tx: Writer,
  { orgId, projectId, appSlug }: Repository,
): Promise<string> {
  const nowMs = clock.nowMs();
  const id = newId("app", nowMs);
  const place = { org_id: orgId, project_id: projectId };
  const hidden = { slug: hiddenSlug(id), former_slug: null, trashed_at: nowMs };
  await insertKeeper(tx, { id, ...place, ...hidden, name: appSlug, created_at: nowMs });
  return id;
}

function placeOf({ id: objectId, orgId, projectId }: Repository) {
  return { objectId, orgId, projectId };
}
