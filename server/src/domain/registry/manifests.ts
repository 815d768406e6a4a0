import { appendAudit } from "#domain/audit/index.ts";
import { auditOrigin, type Caller } from "#domain/organizations/index.ts";
import { addUsage } from "#domain/quotas/index.ts";
import type { TrashDeps } from "#domain/trash/index.ts";
import type { Writer } from "#stores/metadata/index.ts";
import type { StagedBlob } from "#stores/objects/index.ts";
import { isNeeded, releaseBlobs } from "./blobs-store.ts";
import { parseDigest, type ContentDigest } from "./digest.ts";
import { denied, manifestUnknown, RegistryError } from "./errors.ts";
import { matchesAny } from "./immutable.ts";
import { platformOfConfig } from "./image-config.ts";
import { MANIFEST_BYTES_MAX, type PackedManifest, type Reference } from "./manifest.ts";
import {
  deleteManifestRow,
  deleteTagRow,
  holdContents,
  holdManifests,
  holdReferrers,
  insertManifest,
  manifestOfTag,
  manifestRow,
  noteUntagged,
  putTagRow,
  referencesOf,
  referrerDigests,
  releaseManifests,
  sameManifest,
  setPlatform,
  tagRow,
  tagsOfManifest,
  wrongReference,
  type ManifestKey,
} from "./manifests-store.ts";
import { lockRegistry } from "./repositories.ts";
import { touchRepository } from "./store.ts";
import { keepImage } from "./trash-images.ts";
import {
  CONTENT_OWNER,
  nameOf,
  type ManifestRow,
  type RegistryDeps,
  type RemovalDeps,
  type Repository,
  type TagRow,
} from "./types.ts";
import { countUsage } from "./usage.ts";

/** Finds a manifest by digest or tag. @throws RegistryError `MANIFEST_UNKNOWN` */
export async function findManifest(
  deps: Pick<RegistryDeps, "metadata">,
  repository: Repository,
  reference: string,
): Promise<ManifestRow> {
  const isDigest = parseDigest(reference) !== undefined;
  const row = await (isDigest ? manifestRow : manifestOfTag)(deps.metadata.read, repository.id, reference);
  if (row === undefined) throw manifestUnknown();
  return row;
}

export async function hasManifest(
  { metadata }: Pick<RegistryDeps, "metadata">,
  { id }: Repository,
  digest: string,
): Promise<boolean> {
  return (await manifestRow(metadata.read, id, digest)) !== undefined;
}

export interface NewManifest {
  readonly content: Uint8Array;
  readonly digest: ContentDigest;
  /** In hexadecimal, even if the digest has another algorithm. */
  readonly sha256: string;
  readonly manifest: PackedManifest;
  readonly tags: readonly string[];
}

/**
 * Stores a manifest, and points tags at it. An existing manifest only gets the tags.
 * @throws RegistryError `MANIFEST_BLOB_UNKNOWN`, `MANIFEST_INVALID`, `DENIED` for an immutable tag or over the quota
 */
export async function putManifest(
  deps: RegistryDeps,
  caller: Caller,
  repository: Repository,
  pushed: NewManifest,
): Promise<void> {
  const { content, sha256 } = pushed;
  const config = await configPlatform(deps, repository, pushed.manifest);
  const staged = await deps.objects.write(CONTENT_OWNER, content, {
    bytesMax: MANIFEST_BYTES_MAX,
    known: { sha256 },
  });
  let used = false;
  try {
    used = await deps.metadata.write(async (tx) => {
      await lockRegistry(deps, tx, repository.orgId);
      return putInto(deps, tx, { caller, repository, pushed, staged, config });
    });
  } finally {
    if (!used) await deps.objects.discard(staged);
  }
}

interface Putting {
  readonly caller: Caller;
  readonly repository: Repository;
  readonly pushed: NewManifest;
  readonly staged: StagedBlob;
  /** The platform in the image's config. */
  readonly config: Reference["platform"];
}

/**
 * Reads the platform from the config, once, when the manifest is stored. A list of tags could not read so many configs.
 */
async function configPlatform(
  deps: Pick<RegistryDeps, "metadata" | "objects">,
  { id }: Repository,
  { config }: PackedManifest,
): Promise<Reference["platform"]> {
  if (config === null) return null;
  return platformOfConfig(deps, { repository: id, target: config.digest, media_type: config.mediaType });
}

/** Returns true if the staged content was kept. */
async function putInto(deps: RegistryDeps, tx: Writer, putting: Putting): Promise<boolean> {
  const { repository, pushed } = putting;
  const { digest, manifest } = pushed;
  const present = await manifestRow(tx, repository.id, digest.text);
  if (present !== undefined && present.media_type !== manifest.mediaType)
    throw new RegistryError("MANIFEST_INVALID", `the repository has this manifest with the type ${present.media_type}`);
  const moved = await tagsToMove(tx, repository, pushed);
  const used = present === undefined && (await insertInto(deps, tx, putting));
  await holdManifests(tx, repository.id, [digest.text]);
  const nowMs = deps.clock.nowMs();
  const created_by = creatorOf(putting.caller);
  for (const { name, before } of moved) {
    const row = { repository: repository.id, name, org_id: repository.orgId, digest: digest.text, created_by };
    await putTagRow(tx, { ...row, created_at: before?.created_at ?? nowMs, updated_at: nowMs }, before);
    if (before !== undefined) await noteUntagged(tx, repository.id, before.digest, nowMs);
  }
  if (present === undefined || moved.length > 0) await tell(deps, tx, putting, moved);
  return used;
}

interface Move {
  readonly name: string;
  readonly before: TagRow | undefined;
}

/** Returns those tags that do not point at the manifest yet. @throws RegistryError `DENIED` */
async function tagsToMove(tx: Writer, repository: Repository, { tags, digest }: NewManifest): Promise<Move[]> {
  const moved: Move[] = [];
  for (const name of new Set(tags)) {
    const before = await tagRow(tx, repository.id, name);
    if (before?.digest === digest.text) continue;
    if (before !== undefined) requireMutable(repository, name);
    moved.push({ name, before });
  }
  return moved;
}

/** @throws RegistryError `DENIED` */
function requireMutable({ immutableTags }: Repository, tag: string): void {
  if (!matchesAny(tag, immutableTags)) return;
  throw new RegistryError("DENIED", denied(`the tag ${tag} is immutable in this repository`));
}

async function insertInto(deps: RegistryDeps, tx: Writer, putting: Putting): Promise<boolean> {
  const { repository, pushed, staged, caller, config } = putting;
  const { manifest, digest } = pushed;
  const at = { repository: repository.id, org_id: repository.orgId };
  await countUsage(deps, tx, repository, { bytes: staged.size });
  const same = await sameManifest(tx, repository.orgId, digest.text);
  await deps.objects.link(tx, CONTENT_OWNER, same?.blob_id ?? staged);
  const row = {
    ...at,
    digest: digest.text,
    blob_id: same?.blob_id ?? staged.id,
    media_type: manifest.mediaType,
    artifact_type: manifest.artifactType,
    subject: manifest.subject,
    size: staged.size,
    created_by: creatorOf(caller),
    created_at: deps.clock.nowMs(),
    pulls: 0,
    last_pull_at: null,
    untagged_at: deps.clock.nowMs(),
    lease_until: null,
  };
  await insertManifest(deps.metadata.dialect, tx, row, manifest);
  if (config !== null && manifest.config !== null)
    await setPlatform(tx, row, manifest.config.digest, JSON.stringify(config));
  await holdReferences(tx, row);
  await holdReferrers(tx, repository.id, digest.text);
  return same === undefined;
}

/**
 * Removes the leases of everything that the manifest needs.
 * @throws RegistryError `MANIFEST_BLOB_UNKNOWN`, `MANIFEST_INVALID`
 */
async function holdReferences(tx: Writer, manifest: ManifestKey): Promise<void> {
  const wrong = await wrongReference(tx, manifest);
  if (wrong?.actual === null) throw referenceUnknown(wrong.target, wrong.kind);
  if (wrong !== undefined) {
    const { target, size, actual } = wrong;
    throw new RegistryError(
      "MANIFEST_INVALID",
      `the manifest says that ${target} has ${size} bytes, but it has ${actual}`,
    );
  }
  await holdContents(tx, manifest);
}

function referenceUnknown(digest: string, kind: Reference["kind"]): RegistryError {
  const what = kind === "manifest" ? "manifest" : "blob";
  const message = `the manifest needs the ${what} ${digest}, which is not in the repository. Push it first`;
  return new RegistryError("MANIFEST_BLOB_UNKNOWN", message, { detail: { digest } });
}

async function tell(deps: RegistryDeps, tx: Writer, putting: Putting, moved: readonly Move[]): Promise<void> {
  const { repository, pushed, caller } = putting;
  const nowMs = deps.clock.nowMs();
  const tags = moved.map(({ name }) => name);
  await touchRepository(tx, repository, nowMs);
  const replaced = moved.flatMap(({ name, before }) => (before === undefined ? [] : [[name, before.digest] as const]));
  await appendAudit(deps, tx, {
    ...auditOrigin(caller),
    orgId: repository.orgId,
    action: "image.push",
    target: { kind: "app", id: repository.id },
    detail: {
      repository: nameOf(repository),
      digest: pushed.digest.text,
      tags,
      replaced: Object.fromEntries(replaced),
    },
  });
}

/**
 * Puts a tag into the trash, or a manifest with all its tags.
 * @throws RegistryError `MANIFEST_UNKNOWN`, `DENIED` for an immutable tag, `UNSUPPORTED` while an index needs it
 */
export async function deleteReference(
  deps: RegistryDeps & TrashDeps,
  caller: Caller,
  repository: Repository,
  reference: string,
): Promise<void> {
  const digest = parseDigest(reference);
  await deps.metadata.write(async (tx) => {
    await lockRegistry(deps, tx, repository.orgId);
    await keepImage(deps, tx, caller, repository, reference);
    const deleted = await (digest === undefined ? deleteTag : deleteTagged)(deps, tx, repository, reference);
    const detail = { repository: nameOf(repository), ...deleted };
    await appendAudit(deps, tx, {
      ...auditOrigin(caller),
      orgId: repository.orgId,
      action: digest === undefined ? "image.untag" : "image.delete",
      target: { kind: "app", id: repository.id },
      detail,
    });
  });
}

type Deleted = { readonly digest: string; readonly tags: readonly string[] };

async function deleteTag(deps: RegistryDeps, tx: Writer, repository: Repository, name: string): Promise<Deleted> {
  requireMutable(repository, name);
  const row = await deleteTagRow(tx, repository.id, name);
  if (row === undefined) throw manifestUnknown();
  await noteUntagged(tx, repository.id, row.digest, deps.clock.nowMs());
  return { digest: row.digest, tags: [name] };
}

async function deleteTagged(deps: RegistryDeps, tx: Writer, repository: Repository, digest: string): Promise<Deleted> {
  if (await isNeeded(tx, repository.id, digest))
    throw new RegistryError("UNSUPPORTED", "an index of this repository needs the manifest. Delete the index first");
  const tags = await tagsOfManifest(tx, repository.id, digest);
  for (const { name } of tags) requireMutable(repository, name);
  if (!(await removeManifest(deps, tx, repository.id, digest))) throw manifestUnknown();
  return { digest, tags: tags.map(({ name }) => name) };
}

/**
 * Removes a manifest with its tags from a repository, under the registry's lock. Its parts and its referrers stay for a
 * lease. Returns false if it does not exist.
 */
export async function removeManifest(
  deps: Pick<RemovalDeps, "objects" | "clock" | "settings">,
  tx: Writer,
  repository: string,
  digest: string,
): Promise<boolean> {
  const references = await referencesOf(tx, repository, digest);
  const row = await deleteManifestRow(tx, repository, digest);
  if (row === undefined) return false;
  for (const { name } of await tagsOfManifest(tx, repository, digest)) await deleteTagRow(tx, repository, name);
  await deps.objects.unlink(tx, CONTENT_OWNER, [row.blob_id]);
  addUsage(tx, "images", { org_id: row.org_id }, { bytes: -row.size });
  const untilMs = deps.clock.nowMs() + deps.settings.leaseMs;
  const children = references.filter(({ kind }) => kind === "manifest").map(({ target }) => target);
  const blobs = references.filter(({ kind }) => kind !== "manifest").map(({ target }) => target);
  await releaseBlobs(tx, repository, blobs, untilMs);
  await releaseManifests(tx, repository, children, untilMs);
  await releaseManifests(tx, repository, await referrerDigests(tx, repository, digest), untilMs);
  return true;
}

function creatorOf({ principal }: Caller): string {
  return principal.kind === "system" ? "system" : principal.id;
}
