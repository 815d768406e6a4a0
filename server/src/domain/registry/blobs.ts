import { addUsage } from "#domain/quotas/index.ts";
import type { Writer } from "#stores/metadata/index.ts";
import type { StagedBlob } from "#stores/objects/index.ts";
import { blobRow, deleteBlobRow, insertBlob, isNeeded, renewLease, sameContent } from "./blobs-store.ts";
import type { ContentDigest } from "./digest.ts";
import { blobUnknown, RegistryError } from "./errors.ts";
import { lockRegistry } from "./repositories.ts";
import { CONTENT_OWNER, type BlobRow, type RegistryDeps, type RemovalDeps, type Repository } from "./types.ts";
import { countUsage } from "./usage.ts";

/** @throws RegistryError `BLOB_UNKNOWN` */
export async function findBlob(deps: RegistryDeps, repository: Repository, digest: string): Promise<BlobRow> {
  const row = await blobRow(deps.metadata.read, repository.id, digest);
  if (row === undefined) throw blobUnknown();
  return row;
}

/**
 * Finds a blob for a client that wants to skip its upload. Extends the lease, so that the client has time to push the
 * manifest.
 * @throws RegistryError `BLOB_UNKNOWN`
 */
export async function findBlobToKeep(deps: RegistryDeps, repository: Repository, digest: string): Promise<BlobRow> {
  const row = await findBlob(deps, repository, digest);
  const nowMs = deps.clock.nowMs();
  // Half a lease is enough time, so most such requests need no write.
  if (row.lease_until === null || row.lease_until > nowMs + deps.settings.leaseMs / 2) return row;
  const untilMs = nowMs + deps.settings.leaseMs;
  const renewed = await deps.metadata.write((tx) => renewLease(tx, repository.id, digest, untilMs));
  return renewed ? row : findBlob(deps, repository, digest);
}

/** Content that becomes a blob of a repository. */
export interface Arrived {
  readonly digest: ContentDigest;
  /** In hexadecimal, even if the digest has another algorithm. */
  readonly sha256: string;
  readonly size: number;
  /** Links the content in the transaction. Returns its id. Not called if equal content exists. */
  hold(tx: Writer): Promise<string>;
}

/**
 * Makes content a blob of the repository, under the registry's lock. If any organization has equal content, that is
 * linked instead of the new copy. This is safe, because the caller has sent every byte.
 * @throws RegistryError `DENIED` over the quota
 */
export async function linkBlob(
  deps: RegistryDeps,
  tx: Writer,
  repository: Repository,
  arrived: Arrived,
): Promise<Linked> {
  const { digest, sha256, size } = arrived;
  const nowMs = deps.clock.nowMs();
  const untilMs = nowMs + deps.settings.leaseMs;
  if ((await blobRow(tx, repository.id, digest.text)) !== undefined) {
    await renewLease(tx, repository.id, digest.text, untilMs);
    return "had";
  }
  const same = await sameContent(tx, repository.orgId, sha256);
  const isOwn = same?.org_id === repository.orgId;
  if (!isOwn) await countUsage(deps, tx, repository, { bytes: size });
  if (same !== undefined) await deps.objects.link(tx, CONTENT_OWNER, same.blob_id);
  await insertBlob(tx, {
    repository: repository.id,
    digest: digest.text,
    org_id: repository.orgId,
    blob_id: same?.blob_id ?? (await arrived.hold(tx)),
    sha256,
    size,
    created_at: nowMs,
    lease_until: untilMs,
  });
  if (same === undefined) return "new";
  return isOwn ? "had" : "shared";
}

/** `new`: the new content is kept. `had`: the organization had equal content. `shared`: another organization has it. */
type Linked = "new" | "had" | "shared";

/**
 * Makes a blob of content that came in one piece.
 * @throws RegistryError `DENIED` over the quota, after discarding the content
 */
export async function commitBlob(
  deps: RegistryDeps,
  repository: Repository,
  digest: ContentDigest,
  staged: StagedBlob,
): Promise<void> {
  let linked: Linked | undefined;
  try {
    linked = await deps.metadata.write(async (tx) => {
      await lockRegistry(deps, tx, repository.orgId);
      const { sha256, size } = staged;
      const hold = async (): Promise<string> => {
        await deps.objects.link(tx, CONTENT_OWNER, staged);
        return staged.id;
      };
      return linkBlob(deps, tx, repository, { digest, sha256, size, hold });
    });
  } finally {
    const discarded = linked === "new" ? undefined : deps.objects.discard(staged);
    // The time of a push must not reveal that another organization has the content.
    if (linked !== "shared") await discarded;
  }
}

/** Links a blob of another repository of the same organization. Returns false if the source does not have it. */
export async function mountBlob(
  deps: RegistryDeps,
  source: Repository,
  target: Repository,
  digest: ContentDigest,
): Promise<boolean> {
  if (source.orgId !== target.orgId) return false;
  return deps.metadata.write(async (tx) => {
    await lockRegistry(deps, tx, target.orgId);
    const row = await blobRow(tx, source.id, digest.text);
    if (row === undefined) return false;
    const { sha256, size } = row;
    await linkBlob(deps, tx, target, { digest, sha256, size, hold: async () => row.blob_id });
    return true;
  });
}

/** @throws RegistryError `BLOB_UNKNOWN`; `UNSUPPORTED` while a manifest needs it */
export async function deleteBlob(deps: RegistryDeps, repository: Repository, digest: string): Promise<void> {
  await deps.metadata.write(async (tx) => {
    await lockRegistry(deps, tx, repository.orgId);
    if ((await blobRow(tx, repository.id, digest)) === undefined) throw blobUnknown();
    if (await isNeeded(tx, repository.id, digest))
      throw new RegistryError("UNSUPPORTED", "a manifest of this repository needs the blob. Delete the manifest first");
    await unlinkBlob(deps, tx, repository.id, digest);
  });
}

/** Removes a blob from a repository, under the registry's lock. The content is deleted when no repository has it. */
export async function unlinkBlob(
  deps: Pick<RemovalDeps, "objects">,
  tx: Writer,
  repository: string,
  digest: string,
): Promise<void> {
  const row = await deleteBlobRow(tx, repository, digest);
  if (row === undefined) return;
  await deps.objects.unlink(tx, CONTENT_OWNER, [row.blob_id]);
  if ((await sameContent(tx, row.org_id, row.sha256))?.org_id !== row.org_id)
    addUsage(tx, "images", { org_id: row.org_id }, { bytes: -row.size });
}
