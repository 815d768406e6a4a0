export {
  CATALOG,
  decideAccess,
  grantAccess,
  hasAsked,
  mayDo,
  type AccessVerdict,
  type Holder,
  type Refusal,
} from "./access.ts";
export { checkRegistry, type Checked, type RegistryFinding } from "./check.ts";
export { collectRegistry, startCollection, type Collection } from "./collect.ts";
export { commitBlob, deleteBlob, findBlob, findBlobToKeep, mountBlob } from "./blobs.ts";
export { digestOf, hasher, isAlgorithm, parseDigest, type ContentAlgorithm, type ContentDigest } from "./digest.ts";
export {
  blobUnknown,
  denied,
  manifestUnknown,
  RegistryError,
  type RegistryErrorOptions,
  uploadUnknown,
  type RegistryErrorCode,
} from "./errors.ts";
export { MANIFEST_BYTES_MAX, OCI_INDEX, packManifest, parseManifest } from "./manifest.ts";
export { createManifestReader, type ManifestReader } from "./manifest-reader.ts";
export { deleteReference, findManifest, hasManifest, putManifest } from "./manifests.ts";
export { referrerRows, tagNames, tagsOfManifest } from "./manifests-store.ts";
export { isTag, parseName } from "./name.ts";
export { Pulls } from "./pulls.ts";
export { repositoriesWith, repositoryByName, repositoryNames } from "./repositories.ts";
export { RunningDigests } from "./running-digests.ts";
export { parseScopes, type AskedScope } from "./scopes.ts";
export { createSessions, type Session, type SessionPlace, type Sessions } from "./sessions.ts";
export {
  createRegistryTokens,
  holderOfToken,
  type Access,
  type RefreshToken,
  type RegistryToken,
  type RegistryTokens,
} from "./tokens.ts";
export {
  CONTENT_OWNER,
  nameOf,
  resourceOf,
  type Action,
  type ManifestRow,
  type RegistryDeps,
  type RegistrySettings,
  type Repository,
  type Subject,
} from "./types.ts";
export {
  appendToUpload,
  cancelUpload,
  completeUpload,
  findUpload,
  isCompleted,
  UploadMoved,
  type Upload,
  type UploadDeps,
} from "./uploads.ts";
export { imageQuota, quotaWarning } from "./usage.ts";
export { imageTrash } from "./trash.ts";
export {
  emptyRepository,
  eraseContents,
  findRepository,
  repositoriesBefore,
  repositoryVersion,
  updateRepository,
  type RepositoryView,
} from "./images.ts";
export { imageOf, outlinesOf, type Image, type ImageOutline } from "./image-parts.ts";
export { readImageConfig, type ImageConfig } from "./image-config.ts";
export { imageRecords } from "./image-records.ts";
export { contentsOf, contentsOfAll, type Contents } from "./contents-store.ts";
export { tagPage } from "./images-store.ts";
export { isImmutable } from "./immutable.ts";
export { applyAllRetention, applyRetention, planRetention, type Retention } from "./retention.ts";
export { wrongContents } from "./store.ts";
