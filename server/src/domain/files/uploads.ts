import { kept } from "#domain/idempotency/index.ts";
import { decide, type Principal, absent } from "#domain/identity/index.ts";
import { principalNow } from "#domain/organizations/index.ts";
import { projectByName, resourceOf, stateRefusal } from "#domain/projects/index.ts";
import { bytesLeft, requireQuota, requireScopes, storedQuotaAhead, usageOf } from "#domain/quotas/index.ts";
import { suspensionRefusal } from "#domain/suspension/index.ts";
import { newId } from "#kernel/ids.ts";
import { Problem } from "#kernel/problem.ts";
import type { Clock } from "#kernel/time.ts";
import type { MetadataStore, Writer } from "#stores/metadata/index.ts";
import type { ObjectStore, StagedBlob } from "#stores/objects/index.ts";
import { fileQuota, projectFull, quotaExceeded } from "./quota.ts";
import {
  countUsage,
  clearClaim,
  fileById,
  grantById,
  grantedBytes,
  insertFile,
  insertGrant,
  setClaim,
  takeGrant,
  type FileRow,
  type Grant,
  type GrantRow,
} from "./store.ts";
import { setExpiry } from "./parts-store.ts";
import type { UploadReservations } from "./reservations.ts";
import { trashedById } from "./trash-store.ts";
import { rightsLost, type PresignedUrls } from "./urls.ts";

export interface FileSettings {
  /** The largest allowed file. */
  readonly sizeBytesMax: number;
  readonly urlLifetimeS: number;
  /** Counted from the last received byte. */
  readonly resumableLifetimeS: number;
  /** The quota of organizations without their own one. Null: no limit. */
  readonly storedBytesMax: number | null;
  /** How long deleted files can be restored in organizations without their own setting. 0: not at all. */
  readonly trashDays: number;
}

export interface FilesDeps {
  readonly metadata: MetadataStore;
  readonly objects: ObjectStore;
  readonly clock: Clock;
  readonly urls: PresignedUrls;
  /** The public address of file storage, without a slash at its end. */
  readonly storageUrl: string;
  readonly settings: FileSettings;
  readonly reservations: UploadReservations;
  /** The bytes that uploads may still take of the disk. Absent: no limit is known. */
  readonly freeBytes?: () => Promise<number>;
}

export interface NewUpload {
  readonly filename: string;
  readonly contentType: string;
  readonly size: number | null;
  readonly sha256: string | null;
  /** Null: the organization itself. */
  readonly projectId: string | null;
}

/** The most unused grants of an organization. */
const GRANTS_MAX = 20_000;
/** After this time without renewal, an upload counts as over, and its URL works again. */
const CLAIM_MS = 120_000;
/** A running upload calls `renewClaim` at this interval. */
export const CLAIM_RENEWAL_MS = 30_000;

/** Runs changes of an organization's files one after another, so that counters, quota and projects match the rows. */
export async function lockFiles(deps: Pick<FilesDeps, "metadata">, tx: Writer, orgId: string): Promise<void> {
  await deps.metadata.lock(tx, `file:${orgId}`);
}

/**
 * Creates a grant for an upload.
 * @throws Problem `body_too_large`, `storage_quota_exceeded`, `quota_exceeded`, `not_found` (the project was deleted
 * just now)
 */
export async function grantUpload(
  deps: FilesDeps,
  principal: Principal,
  upload: NewUpload,
): Promise<{ readonly fileId: string; readonly url: string }> {
  const expiresS = Math.ceil(deps.clock.nowMs() / 1000) + deps.settings.urlLifetimeS;
  const granted = (row: GrantRow) => ({ fileId: row.id, url: uploadUrl(deps, row, expiresS) });
  const options = { made: async (tx: Writer, row: GrantRow) => void (await kept(tx, granted(row))) };
  return granted(await makeGrant(deps, principal, { ...upload, expiresAt: expiresS * 1000, metadata: null }, options));
}

/**
 * Creates the URL for a repeated request. It is for the same file, and valid as long as a new one. If the file exists
 * already, using the URL answers with an error that says so.
 * @throws Problem as `grantUpload` does
 */
export async function regrantUpload(
  deps: FilesDeps,
  principal: Principal,
  upload: NewUpload,
  fileId: string,
): Promise<string> {
  const expiresS = Math.ceil(deps.clock.nowMs() / 1000) + deps.settings.urlLifetimeS;
  const expiresAt = expiresS * 1000;
  const grant = await grantById(deps.metadata.read, fileId);
  if (grant !== undefined && (await deps.metadata.write((tx) => setExpiry(tx, fileId, expiresAt))))
    return uploadUrl(deps, grant, expiresS);
  const db = deps.metadata.read;
  // The file may be in the trash. A second file with the same id could not be restored.
  const file = (await fileById(db, fileId)) ?? (await trashedById(db, principal.orgId, fileId, 0));
  if (file !== undefined) return uploadUrl(deps, { ...file, bytes_max: file.size }, expiresS);
  const row = await makeGrant(deps, principal, { ...upload, expiresAt, metadata: null }, { id: fileId });
  return uploadUrl(deps, row, expiresS);
}

/** Returns a URL of this server, or of the upstream store. */
function uploadUrl(
  deps: FilesDeps,
  grant: Pick<GrantRow, "id" | "org_id" | "content_type" | "size" | "bytes_max">,
  expiresS: number,
): string {
  const { id, org_id: orgId, content_type: contentType, size, bytes_max: bytesMax } = grant;
  const { direct } = deps.objects;
  if (direct === null) return deps.urls.upload({ fileId: id, contentType, bytesMax, expiresS });
  const lifetimeS = Math.max(1, Math.floor(expiresS - deps.clock.nowMs() / 1000));
  return direct.uploadUrl({ orgId, name: id }, { contentType, size, lifetimeS });
}

/** Creates the row of an upload and reserves its quota. Both kinds of upload begin with it. */
export async function makeGrant(
  deps: FilesDeps,
  principal: Principal,
  upload: NewUpload & { readonly expiresAt: number; readonly metadata: string | null },
  options: { readonly id?: string; readonly made?: (tx: Writer, row: GrantRow) => Promise<void> } = {},
): Promise<GrantRow> {
  const { id = newId("file", deps.clock.nowMs()) } = options;
  const { settings, clock } = deps;
  const { orgId } = principal;
  const { size, projectId } = upload;
  if (size !== null && size > settings.sizeBytesMax)
    throw new Problem("body_too_large", `A file may have ${settings.sizeBytesMax} bytes at most.`);
  const nowMs = clock.nowMs();
  const row: GrantRow = {
    id,
    org_id: orgId,
    project_id: projectId,
    filename: upload.filename,
    content_type: upload.contentType,
    size,
    sha256: upload.sha256,
    bytes_max: size ?? settings.sizeBytesMax,
    reserved: size ?? 0,
    created_by: principal.id,
    created_at: nowMs,
    expires_at: upload.expiresAt,
    claim: null,
    claimed_until: null,
    metadata: upload.metadata,
  };
  const insert = (): Promise<void> =>
    deps.metadata.write(async (tx) => {
      await lockFiles(deps, tx, orgId);
      if (projectId !== null && (await projectByName(tx, orgId, projectId)) === undefined) throw absent();
      await refuseOverQuota(deps, tx, row);
      insertGrant(tx, row);
      countUsage(tx, row, { grants: 1, reserved: row.reserved });
      await options.made?.(tx, row);
    });
  await refuseBeyondDisk(deps, row.reserved);
  // Reservations of running uploads are not granted again.
  await deps.reservations.hold(deps, { ...row, reserved: 0 }, row.reserved, (held) => held.settle(insert));
  return row;
}

/** Refuses a grant that does not fit on the disk beside the other grants, so that its upload does not fail at the end. */
async function refuseBeyondDisk({ freeBytes, metadata, clock }: FilesDeps, bytes: number): Promise<void> {
  if (freeBytes === undefined || bytes === 0) return;
  const free = await freeBytes();
  const granted = await grantedBytes(metadata.read, clock.nowMs());
  if (granted + bytes <= free) return;
  const detail = `The disk has ${free} free bytes for uploads, and ${granted} of them are granted to uploads that have not arrived. Try again later, or ask the operator for a larger disk.`;
  throw new Problem("disk_full", detail, { retryAfterS: 300 });
}

async function refuseOverQuota(deps: FilesDeps, tx: Writer, row: GrantRow): Promise<void> {
  const { grants } = await usageOf(tx, "files", { org_id: row.org_id });
  if (grants >= GRANTS_MAX)
    throw new Problem(
      "quota_exceeded",
      `Your organization has ${grants} unused uploads, and can't create more. Use them, or wait until they expire.`,
    );
  const left = await bytesLeft(tx, fileQuota(deps.settings), row.org_id);
  if (left < Math.max(1, row.reserved) && row.size !== 0) throw quotaExceeded(left);
  const place = { orgId: row.org_id, projectId: row.project_id };
  await requireScopes(deps.metadata, tx, {
    place,
    bytes: row.size === 0 ? 0 : Math.max(1, row.reserved),
    refusal: projectFull,
  });
}

/** An upload that may begin. */
export interface Upload {
  readonly grant: Grant;
  /** The bytes that the quota leaves for this upload, according to the records. */
  readonly left: number;
}

/** Opens an upload. @throws Problem `conflict` if the URL was used, `forbidden` if its creator may no longer upload */
export async function openUpload(deps: FilesDeps, fileId: string): Promise<Upload> {
  const grant = await grantById(deps.metadata.read, fileId);
  if (grant === undefined || grant.metadata !== null) throw used();
  await requireRights(deps, grant, grant.created_by);
  if (grant.claim !== null && (grant.claimed_until ?? 0) >= deps.clock.nowMs()) throw underWay();
  const left = await bytesLeft(deps.metadata.read, fileQuota(deps.settings), grant.org_id);
  return { grant, left: left + grant.reserved };
}

/** Checks that the uploader still has the permission. @throws Problem `forbidden`, `organization_…`, `project_archived` */
export async function requireRights(deps: FilesDeps, grant: Grant, uploader: string): Promise<void> {
  const principal = await principalNow(deps.metadata, grant.org_id, uploader, deps.clock.nowMs());
  const verdict = principal && decide(principal, "files:write", resourceOf(grant));
  if (verdict?.allowed === true) return;
  if (verdict?.reason.by === "organization") throw suspensionRefusal(verdict.reason.organization);
  throw verdict?.reason.by === "state" ? stateRefusal(grant.project_state) : rightsLost();
}

/** Claims the URL, so that no other upload uses it now. @throws Problem `conflict` */
export async function claimUpload(deps: FilesDeps, fileId: string, name: string): Promise<void> {
  if (!(await renewClaim(deps, fileId, name))) throw underWay();
}

/** Returns false if the claim was lost. */
export async function renewClaim(deps: FilesDeps, fileId: string, name: string): Promise<boolean> {
  const nowMs = deps.clock.nowMs();
  return deps.metadata.write((tx) => setClaim(tx, fileId, { name, nowMs, untilMs: nowMs + CLAIM_MS }));
}

/** Releases the claim. The URL works again until it expires. */
export async function releaseClaim(deps: FilesDeps, fileId: string, name: string): Promise<void> {
  await deps.metadata.write((tx) => clearClaim(tx, fileId, name));
}

/**
 * Makes a file of the content. If that fails, discards the staged content.
 * @throws Problem `conflict`, `storage_quota_exceeded`
 */
export async function completeUpload(
  deps: FilesDeps,
  fileId: string,
  claim: string,
  staged: StagedBlob,
): Promise<FileRow> {
  try {
    return await deps.metadata.write(async (tx) => {
      const nowMs = deps.clock.nowMs();
      await lockFiles(deps, tx, staged.orgId);
      const { orgId } = staged;
      const chosen = await storedQuotaAhead(tx, "files", orgId);
      const grant = await takeGrant(tx, fileId, { claim, nowMs, lost: used });
      if (grant === undefined) throw used();
      const bytes = staged.size - grant.reserved;
      await requireQuota(tx, fileQuota(deps.settings), { orgId, bytes, chosen });
      const place = { orgId, projectId: grant.project_id };
      await requireScopes(deps.metadata, tx, { place, bytes, refusal: projectFull });
      await deps.objects.link(tx, grant.org_id, staged);
      return makeFile(tx, grant, staged, nowMs);
    });
  } catch (error) {
    await deps.objects.discard(staged);
    throw error;
  }
}

/** Writes the file of a deleted grant, in the transaction that linked its content. */
export async function makeFile(
  tx: Writer,
  grant: GrantRow,
  content: Pick<StagedBlob, "id" | "size" | "sha256">,
  nowMs: number,
): Promise<FileRow> {
  const file = fileOf(grant, content, nowMs);
  insertFile(tx, file);
  countUsage(tx, file, { files: 1, bytes: file.size, grants: -1, reserved: -grant.reserved });
  return file;
}

function fileOf(grant: GrantRow, content: Pick<StagedBlob, "id" | "size" | "sha256">, nowMs: number): FileRow {
  return {
    id: grant.id,
    org_id: grant.org_id,
    project_id: grant.project_id,
    filename: grant.filename,
    content_type: grant.content_type,
    size: content.size,
    sha256: content.sha256,
    blob_id: content.id,
    created_by: grant.created_by,
    created_at: nowMs,
  };
}

function used(): Problem {
  return new Problem("conflict", "This URL was used, or its upload was cancelled. Ask for a new one.");
}

function underWay(): Problem {
  return new Problem("conflict", "An upload to this URL is running. Each URL works once.");
}
