import { decide, type Principal, absent } from "#domain/identity/index.ts";
import { principalNow, type Caller } from "#domain/organizations/index.ts";
import { resourceOf } from "#domain/projects/index.ts";
import { suspensionRefusal } from "#domain/suspension/index.ts";
import { isoFromMs } from "#kernel/time.ts";
import { auditFile } from "./audit.ts";
import { countUsage, deleteFileRow, fileById, grantById, type FileRow, type Grant, type StoredFile } from "./store.ts";
import { dropGrant } from "./parts-store.ts";
import { moveToTrash, trashDaysOf } from "./trash.ts";
import { lockFiles, type FilesDeps } from "./uploads.ts";
import { rightsLost, type DownloadClaims } from "./urls.ts";

/** Returns undefined if the file does not exist. `authorize` decides who may see it. */
export async function findFile(
  deps: Pick<FilesDeps, "metadata">,
  orgId: string,
  id: string,
): Promise<StoredFile | undefined> {
  const file = await fileById(deps.metadata.read, id);
  return file?.org_id === orgId ? file : undefined;
}

/** Returns the grant of an unfinished upload. Undefined if there is none. */
export async function findGrant(
  deps: Pick<FilesDeps, "metadata">,
  orgId: string,
  id: string,
): Promise<Grant | undefined> {
  const grant = await grantById(deps.metadata.read, id);
  return grant?.org_id === orgId ? grant : undefined;
}

/**
 * Creates a download URL of this server. If the upstream store has the content as one object, the URL is the store's.
 * The store sends no `nosniff`, so `disposition` must make browsers save the content. A URL with a chosen lifetime is
 * always of this server, so that it ends when the file is deleted.
 */
export async function grantDownload(
  deps: FilesDeps,
  principal: Principal,
  file: FileRow,
  { disposition, chosenS }: { readonly disposition: string; readonly chosenS?: number | undefined },
): Promise<string> {
  const lifetimeS = chosenS ?? deps.settings.urlLifetimeS;
  const as = { contentType: file.content_type, disposition, cacheControl: "private, no-cache", lifetimeS };
  const direct =
    chosenS === undefined ? await deps.objects.direct?.downloadUrl(file.org_id, file.blob_id, as) : undefined;
  if (typeof direct === "string") return direct;
  const expiresS = Math.ceil(deps.clock.nowMs() / 1000) + lifetimeS;
  return deps.urls.download({ fileId: file.id, grantedBy: principal.id, expiresS });
}

/**
 * Returns the file of a download URL.
 * @throws Problem `not_found`, `forbidden` if the URL's creator may no longer download
 */
export async function fileOfUrl(deps: FilesDeps, claims: DownloadClaims): Promise<FileRow> {
  const file = await fileById(deps.metadata.read, claims.fileId);
  if (file === undefined) throw absent();
  const principal = await principalNow(deps.metadata, file.org_id, claims.grantedBy, deps.clock.nowMs());
  const verdict = principal && decide(principal, "files:read", resourceOf(file));
  if (verdict?.allowed === true) return file;
  throw verdict?.reason.by === "organization" ? suspensionRefusal(verdict.reason.organization) : rightsLost();
}

/**
 * Deletes the file of this id, or its upload. If the organization has a trash, the file goes there, unless it is
 * deleted for good.
 * @throws Problem `not_found`
 */
export async function deleteFile(
  deps: FilesDeps,
  caller: Caller,
  orgId: string,
  { id, permanent = false }: { readonly id: string; readonly permanent?: boolean | undefined },
): Promise<void> {
  await deps.metadata.write(async (tx) => {
    await lockFiles(deps, tx, orgId);
    const file = await deleteFileRow(tx, orgId, id);
    if (file === undefined) {
      const grant = await dropGrant(tx, deps.objects, orgId, id);
      if (grant === undefined) throw absent();
      return countUsage(tx, grant, { grants: -1, reserved: -grant.reserved });
    }
    countUsage(tx, file, { files: -1, bytes: -file.size });
    const days = permanent ? 0 : await trashDaysOf(deps, tx, orgId);
    const purgeAt = days === 0 ? null : moveToTrash(deps, tx, caller, { file, days });
    if (purgeAt === null) await deps.objects.unlink(tx, orgId, [file.blob_id]);
    await auditFile(deps, tx, caller, {
      action: "file.delete",
      file,
      more: { restorable_until: purgeAt === null ? null : isoFromMs(purgeAt) },
    });
  });
}
