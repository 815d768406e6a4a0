export { ALL_USERS, AUTHENTICATED_USERS, cannedAcl, LOG_DELIVERY, validateAcl } from "./access/acl.ts";
export { unreachedBuckets } from "./access/everybody.ts";
export {
  createDestination,
  type MadeDestination,
  deleteDestination,
  getDestination,
  listDestinations,
  type Destination,
  type DestinationDeps,
} from "./events/destinations.ts";
export { LIFECYCLE } from "./lifecycle/job.ts";
export { expirationOf } from "./lifecycle/rules.ts";
export { createS3, type RestoredVersion, type S3 } from "./create.ts";
export type { S3Deps, S3Settings } from "./deps.ts";
export { S3Error, type S3ErrorCode, type S3ErrorOptions } from "./errors.ts";
export { grantOf, newKeyOfGrant, principalOn, type S3Grant } from "./keys/grants.ts";
export { objectRecords } from "./records.ts";
export * from "./types/index.ts";
