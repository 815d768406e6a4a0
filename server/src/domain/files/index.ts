export { eraseFiles } from "./erase.ts";
export { createArrivals, type Arrivals } from "./arrivals.ts";
export { cleanUp, startCleanUp } from "./cleanup.ts";
export { copyFile } from "./copy.ts";
export { restoreFileRow } from "./from-backup.ts";
export { deleteFile, fileOfUrl, findFile, findGrant, grantDownload } from "./files.ts";
export { listNames, type NamedFile } from "./names.ts";
export {
  emptyTrash,
  findTrashed,
  listTrash,
  purgeDue,
  purgeFile,
  restoreFile,
  trashDaysOf,
  type TrashPage,
} from "./trash.ts";
export type { TrashedFile, TrashedRow } from "./trash-store.ts";
export { listVersions } from "./versions.ts";
export { UploadReservations } from "./reservations.ts";
export { listFiles, type FileListing, type FileList } from "./list.ts";
export { canonicalMediaType, essenceOf } from "./media-type.ts";
export { quotaExceeded } from "./quota.ts";
export type { FileRow, Grant, StoredFile } from "./store.ts";
export { appendParts, beginResumable, completeResumable, findResumable, movedOn, type Resumable } from "./resumable.ts";
export { changePolicy, pageOrigins, policyOf, policyVersion, type FilePolicy } from "./policy.ts";
export { fileRecords } from "./records.ts";
export {
  CLAIM_RENEWAL_MS,
  claimUpload,
  completeUpload,
  grantUpload,
  regrantUpload,
  openUpload,
  releaseClaim,
  renewClaim,
  requireRights,
  type FilesDeps,
  type NewUpload,
  type FileSettings,
  type Upload,
} from "./uploads.ts";
export { CONTENT_PATH, createPresignedUrls, type PresignedUrls } from "./urls.ts";
