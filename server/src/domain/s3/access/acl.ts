import { S3Error } from "../errors.ts";
import type {
  Acl,
  AclPermission,
  Bucket,
  CannedAcl,
  Grantee,
  PublicAccessBlock,
  S3Owner,
  S3Principal,
} from "../types/index.ts";

export const ALL_USERS = "http://acs.amazonaws.com/groups/global/AllUsers";
export const AUTHENTICATED_USERS = "http://acs.amazonaws.com/groups/global/AuthenticatedUsers";
export const LOG_DELIVERY = "http://acs.amazonaws.com/groups/s3/LogDelivery";
const GROUPS: ReadonlySet<string> = new Set([ALL_USERS, AUTHENTICATED_USERS, LOG_DELIVERY]);

/** Returns the grants of a canned list. `bucketOwner` matters only for objects. */
export function cannedAcl(name: CannedAcl, owner: S3Owner, bucketOwner: S3Owner = owner): Acl {
  const everyone = (permission: AclPermission, uri = ALL_USERS) => ({
    grantee: { kind: "group", uri } as const,
    permission,
  });
  const bucketOwners = (permission: AclPermission) => ({ grantee: userOf(bucketOwner), permission });
  const more: Readonly<Record<CannedAcl, Acl["grants"]>> = {
    private: [],
    "public-read": [everyone("READ")],
    "public-read-write": [everyone("READ"), everyone("WRITE")],
    "authenticated-read": [everyone("READ", AUTHENTICATED_USERS)],
    "bucket-owner-read": bucketOwner.id === owner.id ? [] : [bucketOwners("READ")],
    "bucket-owner-full-control": bucketOwner.id === owner.id ? [] : [bucketOwners("FULL_CONTROL")],
    "aws-exec-read": [],
    "log-delivery-write": [everyone("WRITE", LOG_DELIVERY), everyone("READ_ACP", LOG_DELIVERY)],
  };
  return { owner, grants: [...more[name], { grantee: userOf(owner), permission: "FULL_CONTROL" }] };
}

function userOf({ id, displayName }: S3Owner): Grantee {
  return { kind: "user", id, displayName };
}

export function aclAllows(
  acl: Acl,
  principal: S3Principal,
  permission: AclPermission,
  block: PublicAccessBlock | undefined,
): boolean {
  return acl.grants.some(
    (grant) =>
      (grant.permission === permission || grant.permission === "FULL_CONTROL") &&
      isGranted(grant.grantee, principal, block?.ignorePublicAcls === true),
  );
}

function isGranted(grantee: Grantee, principal: S3Principal, ignorePublic: boolean): boolean {
  if (grantee.kind === "user") return principal.kind === "key" && grantee.id === principal.owner.id;
  if (ignorePublic) return false;
  return grantee.uri === ALL_USERS || (grantee.uri === AUTHENTICATED_USERS && principal.kind === "key");
}

/** Whether the list gives everybody, or every key, a permission. */
export function isPublicAcl(acl: Acl): boolean {
  return acl.grants.some(
    ({ grantee }) => grantee.kind === "group" && (grantee.uri === ALL_USERS || grantee.uri === AUTHENTICATED_USERS),
  );
}

const GRANTS_MAX = 100;

/**
 * Validates the list of an object. If the bucket's owner owns every object, the list may only give them full control.
 * @throws S3Error `AccessControlListNotSupported`, `AccessDenied` (the bucket blocks public lists), `MalformedACLError`,
 * `InvalidArgument`
 */
export function validateAcl(bucket: Pick<Bucket, "config" | "owner">, acl: Acl): void {
  if (bucket.config.ownership === "BucketOwnerEnforced" && !isBucketOwners(acl, bucket.owner))
    throw new S3Error("AccessControlListNotSupported");
  validateGrants(bucket, acl);
}

/** Validates the list of a bucket. @throws S3Error as `validateAcl` does */
export function validateBucketAcl(bucket: Pick<Bucket, "config">, acl: Acl): void {
  if (bucket.config.ownership === "BucketOwnerEnforced") throw new S3Error("AccessControlListNotSupported");
  validateGrants(bucket, acl);
}

function validateGrants(bucket: Pick<Bucket, "config">, acl: Acl): void {
  if (bucket.config.publicAccessBlock?.blockPublicAcls === true && isPublicAcl(acl)) throw new S3Error("AccessDenied");
  if (acl.grants.length > GRANTS_MAX)
    throw new S3Error("MalformedACLError", `An access control list has at most ${GRANTS_MAX} grants.`);
  for (const { grantee } of acl.grants) {
    if (grantee.kind === "group" && !GROUPS.has(grantee.uri))
      throw new S3Error("InvalidArgument", "This group does not exist.");
    if (grantee.kind === "user" && !/^(proj|org)_[0-9a-z]{26}$/.test(grantee.id))
      throw new S3Error(
        "InvalidArgument",
        "This canonical user does not exist. Use the id of a project or of the organization.",
      );
  }
}

function isBucketOwners({ owner, grants }: Acl, bucketOwner: S3Owner): boolean {
  const isFull = (id: string): boolean =>
    grants.some(
      ({ grantee, permission }) => permission === "FULL_CONTROL" && grantee.kind === "user" && grantee.id === id,
    );
  const isOthers = grants.some(
    ({ grantee }) => grantee.kind === "group" || (grantee.id !== owner.id && grantee.id !== bucketOwner.id),
  );
  return isFull(bucketOwner.id) && !isOthers;
}
