import { addUsage } from "#domain/quotas/index.ts";
import type { Writer } from "#stores/metadata/index.ts";
import type { StagedBlob } from "#stores/objects/index.ts";
import { blobRow } from "./blobs-store.ts";
import { linkBlob } from "./blobs.ts";
import { hasher, type ContentDigest } from "./digest.ts";
import { RegistryError, uploadUnknown } from "./errors.ts";
import { lockRegistry } from "./repositories.ts";
import type { RunningDigests } from "./running-digests.ts";
import type { Session, SessionPlace } from "./sessions.ts";
import {
  CONTENT_OWNER,
  type RegistryDeps,
  type RemovalDeps,
  type TimedRemovalDeps,
  type Repository,
  type UploadPartRow,
  type UploadRow,
} from "./types.ts";
import {
  deleteUpload,
  deleteUploadParts,
  expiredUploads,
  insertUpload,
  insertUploadPart,
  openUploads,
  setUpload,
  uploadParts,
  uploadRow,
} from "./uploads-store.ts";
import { countUsage } from "./usage.ts";

/** The most unfinished uploads with content of one client. */
const OPEN_UPLOADS_MAX = 1000;

export interface Upload {
  readonly session: Session;
  readonly place: SessionPlace;
  readonly repository: Repository;
  readonly received: number;
}

export interface UploadDeps extends RegistryDeps {
  readonly running: RunningDigests;
}

/** Returns the received part of an upload. @throws RegistryError `BLOB_UPLOAD_UNKNOWN`, also if it ended or expired */
export async function findUpload(
  deps: RegistryDeps,
  repository: Repository,
  place: SessionPlace,
  session: Session,
): Promise<Upload> {
  const row = await uploadRow(deps.metadata.read, session.id);
  const expiresAt = row?.expires_at ?? session.beganMs + deps.settings.uploadLifetimeMs;
  if (expiresAt <= deps.clock.nowMs() || (row !== undefined && row.state !== "open")) throw uploadUnknown();
  return { session, place, repository, received: row?.received ?? 0 };
}

/** Another request continued the upload, or the caller uses a wrong offset. */
export class UploadMoved extends RegistryError {
  readonly received: number;

  constructor(received: number) {
    super("BLOB_UPLOAD_INVALID", `the upload continues at byte ${received}`);
    this.received = received;
  }
}

/**
 * Adds the next bytes. Discards them if that fails.
 * @throws UploadMoved, RegistryError `BLOB_UPLOAD_UNKNOWN`, `DENIED` over the quota, `TOOMANYREQUESTS`
 */
export async function appendToUpload(deps: UploadDeps, upload: Upload, staged: StagedBlob): Promise<void> {
  const { session, repository, received } = upload;
  const { orgId } = repository;
  try {
    await deps.metadata.write(async (tx) => {
      await lockRegistry(deps, tx, orgId);
      await openRow(deps, tx, upload);
      await countUsage(deps, tx, repository, { uploading: staged.size });
      await deps.objects.link(tx, CONTENT_OWNER, staged);
      const { id: blob_id, size, sha256 } = staged;
      await insertUploadPart(tx, { upload_id: session.id, start: received, org_id: orgId, size, sha256, blob_id });
      await setUpload(tx, session.id, { received: received + size, expires_at: expiryOf(deps) });
    });
  } catch (error) {
    deps.running.forget(session.id);
    await deps.objects.discard(staged);
    throw error;
  }
}

/** Returns the row of an upload at the expected offset. Creates it if there is none. */
async function openRow(deps: RegistryDeps, tx: Writer, upload: Upload): Promise<void> {
  const row = await uploadRow(tx, upload.session.id);
  if (row === undefined) {
    if ((await openUploads(tx, upload.place.principal)) >= OPEN_UPLOADS_MAX)
      throw new RegistryError("TOOMANYREQUESTS", "too many uploads are running. Finish or cancel some of them");
    return insertUpload(tx, newRow(deps, upload, "open"));
  }
  if (row.state !== "open") throw uploadUnknown();
  if (row.received !== upload.received) throw new UploadMoved(row.received);
}

function newRow(deps: RegistryDeps, { session, place, repository }: Upload, state: UploadRow["state"]): UploadRow {
  return {
    id: session.id,
    repository: repository.id,
    org_id: repository.orgId,
    created_by: place.principal,
    state,
    received: 0,
    created_at: session.beganMs,
    expires_at: expiryOf(deps),
  };
}

function expiryOf({ clock, settings }: RegistryDeps): number {
  return clock.nowMs() + settings.uploadLifetimeMs;
}

/**
 * Makes a blob of the received bytes. If another request completed the upload with the same digest, this one succeeds,
 * too.
 * @throws RegistryError `DIGEST_INVALID` after cancelling the upload, `DENIED` over the quota; UploadMoved
 */
export async function completeUpload(deps: UploadDeps, upload: Upload, digest: ContentDigest): Promise<void> {
  const { session, repository, received } = upload;
  const parts = await uploadParts(deps.metadata.read, session.id);
  const actual = await digestsOf(deps, upload, parts, digest);
  if (actual[digest.algorithm] !== digest.hex) {
    await cancelUpload(deps, upload);
    throw new RegistryError(
      "DIGEST_INVALID",
      `the content's digest is ${digest.algorithm}:${actual[digest.algorithm]}`,
    );
  }
  const { orgId } = repository;
  await deps.metadata.write(async (tx) => {
    await lockRegistry(deps, tx, orgId);
    const row = await uploadRow(tx, session.id);
    if (row?.state !== "open") throw uploadUnknown();
    if (row.received !== received) throw new UploadMoved(row.received);
    addUsage(tx, "images", { org_id: orgId }, { uploading: -received });
    const ranges = parts.map(({ blob_id: blobId }, i) => ({ blobId, number: i + 1 }));
    const hold = async (): Promise<string> => (await deps.objects.compose(tx, CONTENT_OWNER, ranges)).id;
    await linkBlob(deps, tx, repository, { digest, sha256: actual.sha256, size: received, hold });
    await dropParts(deps, tx, session.id);
    await setUpload(tx, session.id, { state: "done", received: 0 });
  });
  deps.running.forget(session.id);
}

/**
 * Whether the repository has the blob of a closing request without content. The answer to an earlier one may have been
 * lost.
 */
export async function isCompleted(deps: RegistryDeps, repository: Repository, digest: string): Promise<boolean> {
  return (await blobRow(deps.metadata.read, repository.id, digest)) !== undefined;
}

async function digestsOf(
  deps: UploadDeps,
  { session, received }: Upload,
  parts: readonly UploadPartRow[],
  { algorithm }: ContentDigest,
): Promise<{ sha256: string; sha512?: string }> {
  const [first, ...rest] = parts;
  if (algorithm === "sha256") {
    const known = rest.length === 0 ? first?.sha256 : deps.running.of(session.id, "sha256", received);
    if (known !== undefined) return { sha256: known };
  }
  const hashes = { sha256: hasher("sha256"), sha512: hasher("sha512") };
  for (const part of parts) {
    const reader = await deps.objects.open(CONTENT_OWNER, part.blob_id);
    for await (const chunk of reader.chunks()) {
      hashes.sha256.update(chunk);
      if (algorithm === "sha512") hashes.sha512.update(chunk);
    }
  }
  return { sha256: hashes.sha256.digest("hex"), sha512: hashes.sha512.digest("hex") };
}

/** Cancels an upload and discards its bytes. Its URL ends, even if it never had content. */
export async function cancelUpload(deps: UploadDeps, upload: Upload): Promise<void> {
  const { session, repository } = upload;
  deps.running.forget(session.id);
  await deps.metadata.write(async (tx) => {
    await lockRegistry(deps, tx, repository.orgId);
    const row = await uploadRow(tx, session.id);
    if (row === undefined) return insertUpload(tx, newRow(deps, upload, "cancelled"));
    if (row.state !== "open") throw uploadUnknown();
    await giveUp(deps, tx, row);
    await setUpload(tx, session.id, { state: "cancelled", received: 0 });
  });
}

const BATCH = 100;

/** Deletes uploads that got no bytes for too long. Returns their number. */
export async function expireUploads(deps: TimedRemovalDeps): Promise<number> {
  const nowMs = deps.clock.deletionTime("image_uploads");
  if (nowMs === null) return 0;
  let count = 0;
  for (;;) {
    const expired = await expiredUploads(deps.metadata.read, nowMs, BATCH);
    for (const row of expired) await dropUpload(deps, row, nowMs);
    count += expired.length;
    if (expired.length < BATCH) return count;
  }
}

/** Deletes an upload with its received bytes. With a time: only if it expired before. */
export async function dropUpload(
  deps: RemovalDeps,
  { id, org_id: orgId }: Pick<UploadRow, "id" | "org_id">,
  expiredBefore = Number.POSITIVE_INFINITY,
): Promise<void> {
  await deps.metadata.write(async (tx) => {
    await lockRegistry(deps, tx, orgId);
    const row = await uploadRow(tx, id);
    if (row === undefined || row.expires_at >= expiredBefore) return;
    await giveUp(deps, tx, row);
    await deleteUpload(tx, id);
  });
}

async function giveUp(deps: RemovalDeps, tx: Writer, row: UploadRow): Promise<void> {
  addUsage(tx, "images", { org_id: row.org_id }, { uploading: -row.received });
  await dropParts(deps, tx, row.id);
}

async function dropParts(deps: RemovalDeps, tx: Writer, id: string): Promise<void> {
  const parts = await deleteUploadParts(tx, id);
  if (parts.length === 0) return;
  await deps.objects.unlink(
    tx,
    CONTENT_OWNER,
    parts.map((part) => part.blob_id),
  );
}
