export { ALL_USERS, AUTHENTICATED_USERS, cannedAcl, isPublicAcl, LOG_DELIVERY, requireSoundAcl } from "./access/acl.ts";
export { ACTIONS, type ActionRule } from "./access/actions.ts";
export {
  createDestination,
  deleteDestination,
  getDestination,
  listDestinations,
  type Destination,
  type DestinationDeps,
} from "./events/destinations.ts";
export { expirationOf } from "./lifecycle/rules.ts";
export { OBJECT_TAGS_MAX, requireTags } from "./buckets/sound.ts";
export { createS3, type S3 } from "./create.ts";
export type { S3Deps, S3Settings } from "./deps.ts";
export { S3_ERRORS, S3Error, type S3ErrorCode, type S3ErrorOptions } from "./errors.ts";
export {
  createAccessKey,
  getAccessKey,
  KEY_SCOPES,
  listAccessKeys,
  resourceOf,
  revokeAccessKey,
  type AccessKey,
  type NewAccessKey,
} from "./keys/index.ts";
export * from "./types.ts";
