import { appendAudit } from "#domain/audit/index.ts";
import { authorize, type Principal } from "#domain/identity/index.ts";
import { absent, auditOrigin, principalNow, type Caller } from "#domain/organizations/index.ts";
import type { Writer } from "#stores/metadata/index.ts";
import {
  addUsage,
  deleteFileRow,
  fileById,
  grantById,
  resourceOf,
  type FileRow,
  type Grant,
  type StoredFile,
} from "./store.ts";
import { dropGrant } from "./parts-store.ts";
import { lockFiles, type FilesDeps } from "./uploads.ts";
import { rightsLost, type DownloadClaims } from "./urls.ts";

/** Undefined when there is none, whoever asks: whether it may be seen is for `authorize` to say. */
export async function findFile(
  deps: Pick<FilesDeps, "metadata">,
  orgId: string,
  id: string,
): Promise<StoredFile | undefined> {
  const file = await fileById(deps.metadata.read, id);
  return file?.org_id === orgId ? file : undefined;
}

/** The same of an upload that has not ended. */
export async function findGrant(
  deps: Pick<FilesDeps, "metadata">,
  orgId: string,
  id: string,
): Promise<Grant | undefined> {
  const grant = await grantById(deps.metadata.read, id);
  return grant?.org_id === orgId ? grant : undefined;
}

/**
 * A URL of this server, or of the upstream store where the content lies there as one object. There nothing says that a browser must not guess the
 * type, so that `disposition` must have it saved.
 */
export async function grantDownload(
  deps: FilesDeps,
  principal: Principal,
  file: FileRow,
  disposition: string,
): Promise<string> {
  const lifetimeS = deps.settings.urlLifetimeS;
  const as = { contentType: file.content_type, disposition, cacheControl: "private, no-cache", lifetimeS };
  const direct = await deps.objects.direct?.downloadUrl(file.org_id, file.blob_id, as);
  if (typeof direct === "string") return direct;
  const expiresS = Math.ceil(deps.clock.nowMs() / 1000) + lifetimeS;
  return deps.urls.download({ fileId: file.id, grantedBy: principal.id, expiresS });
}

/** The file of a download URL. @throws Problem `not_found`, `forbidden` when whoever asked for it may no longer download */
export async function fileOfUrl(deps: FilesDeps, claims: DownloadClaims): Promise<FileRow> {
  const file = await fileById(deps.metadata.read, claims.fileId);
  if (file === undefined) throw absent();
  const principal = await principalNow(deps.metadata, file.org_id, claims.grantedBy, deps.clock.nowMs());
  if (principal === undefined || authorize(principal, "files:read", resourceOf(file)) !== "allowed") throw rightsLost();
  return file;
}

/** Deletes the file of this id, or gives up its upload. @throws Problem `not_found` */
export async function deleteFile(deps: FilesDeps, caller: Caller, orgId: string, id: string): Promise<void> {
  await deps.metadata.write(async (tx) => {
    await lockFiles(deps, tx, orgId);
    const file = await deleteFileRow(tx, orgId, id);
    const grant = file === undefined ? await dropGrant(tx, deps.objects, orgId, id) : undefined;
    if (file !== undefined) {
      await deps.objects.unlink(tx, orgId, [file.blob_id]);
      addUsage(tx, file, { files: -1, bytes: -file.size });
      await auditDeletion(deps, tx, caller, file);
    } else if (grant === undefined) throw absent();
    else addUsage(tx, grant, { grants: -1, reserved: -grant.reserved });
  });
}

async function auditDeletion(deps: FilesDeps, tx: Writer, caller: Caller, file: FileRow): Promise<void> {
  const { id, org_id: orgId, project_id: project, filename, size, sha256 } = file;
  await appendAudit(deps, tx, {
    ...auditOrigin(caller),
    orgId,
    action: "file.delete",
    target: { kind: "file", id },
    detail: { filename, size_bytes: size, sha256, project },
  });
}
