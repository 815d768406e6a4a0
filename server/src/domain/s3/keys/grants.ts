import { organizationAllows, S3_KEY_SCOPES } from "@mooring/contract";
import { authorize, readState, type Principal, type Resource, type Signatures } from "#domain/identity/index.ts";
import { auditOrigin, principalNow } from "#domain/organizations/index.ts";
import { resourceOf, type ProjectColumns } from "#domain/projects/index.ts";
import { isId } from "#kernel/ids.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { bucketById, type BucketRow } from "../buckets/store.ts";
import type { AdmittedKey, S3KeyPrincipal } from "../types/index.ts";

/** The actor and the bucket for the key of a presigned URL. */
export interface S3Grant {
  readonly orgId: string;
  /** The id of a person or a credential. */
  readonly principalId: string;
  /** The app's id. */
  readonly bucketId: string;
  /** The name of the key that its secret is derived from. Null: it is from before keys had names. */
  readonly keyName: string | null;
}

const PREFIX = "GRANT";

/**
 * Derives the key that signs a presigned URL of this server. It is not stored: its id names the grant, and its secret
 * is derived from the id and a key of the key ring. Nobody gets the secret, so it signs only requests that the server
 * signed. Undefined: the key of the key ring does not verify any more.
 */
export async function keyOfGrant(
  envelope: Pick<Signatures, "secretOf">,
  { orgId, principalId, bucketId, keyName }: S3Grant,
): Promise<{ readonly accessKeyId: string; readonly secret: string } | undefined> {
  const parts = [PREFIX, orgId, principalId, bucketId, ...(keyName === null ? [] : [keyName])];
  const accessKeyId = parts.join(".");
  const secret = await envelope.secretOf("s3-grant", accessKeyId, keyName);
  return secret === undefined ? undefined : { accessKeyId, secret: secret.toString("base64url") };
}

/** Returns the key for a new presigned URL. */
export async function newKeyOfGrant(
  envelope: Pick<Signatures, "secretOf" | "keyName">,
  grant: Omit<S3Grant, "keyName">,
): Promise<{ readonly accessKeyId: string; readonly secret: string }> {
  const key = await keyOfGrant(envelope, { ...grant, keyName: envelope.keyName("s3-grant") });
  if (key === undefined) throw new Error("cannot sign the URL: the current key does not verify");
  return key;
}

/** Reads the grant in an access key ID. Only a valid signature shows that this server created it. */
export function grantOf(accessKeyId: string): S3Grant | undefined {
  const [prefix, orgId, principalId, bucketId, keyName = null, ...rest] = accessKeyId.split(".");
  if (prefix !== PREFIX || orgId === undefined || principalId === undefined || bucketId === undefined) return undefined;
  return rest.length > 0 ? undefined : { orgId, principalId, bucketId, keyName };
}

/**
 * Returns the key with the current permissions of the grant's creator in the bucket, and the allowed addresses of its
 * credential. Undefined when the creator has no permissions.
 */
export async function admitGrant(
  deps: { readonly metadata: Pick<MetadataStore, "read">; readonly envelope: Pick<Signatures, "secretOf"> },
  grant: S3Grant,
  nowMs: number,
): Promise<AdmittedKey | undefined> {
  const row = await bucketById(deps.metadata.read, grant.bucketId);
  if (row?.org_id !== grant.orgId) return undefined;
  const principal = await principalNow(deps.metadata, grant.orgId, grant.principalId, nowMs);
  const as = principal === undefined ? undefined : principalOn(principal, row);
  if (as === undefined) return undefined;
  // The URLs of a suspended organization are valid, so that their answer gives the reason of the refusal.
  const isUsed = organizationAllows(as.organization.state, "sign_in");
  if (as.scopes.size === 0 && isUsed) return undefined;
  const key = await keyOfGrant(deps.envelope, grant);
  if (key === undefined) return undefined;
  const state = isId("cred", grant.principalId)
    ? await readState(deps.metadata, { id: grant.principalId }, nowMs)
    : undefined;
  return {
    principal: { ...as, accessKeyId: key.accessKeyId },
    secret: key.secret,
    organization: as.organization,
    isPending: false,
    allows: state?.allows ?? null,
  };
}

/** The columns of a bucket that its permissions depend on. */
type Place = Pick<BucketRow, "id" | "org_id" | "project_id" | "slug" | "project_slug" | keyof ProjectColumns>;

/** Converts an actor of the organization to a principal of the gateway's permission check, for one bucket. */
export function principalOn(principal: Principal, bucket: Place): S3KeyPrincipal {
  const { org_id: orgId, project_id: projectId } = bucket;
  const resource: Resource = { ...resourceOf(bucket), item: { kind: "buckets", id: bucket.id } };
  const { actor } = auditOrigin({ principal, ip: null, requestId: null });
  return {
    kind: "key",
    id: principal.id,
    accessKeyId: principal.id,
    actor,
    orgId,
    orgSlug: principal.orgSlug,
    organization: principal.organization,
    projectId,
    scopes: new Set(S3_KEY_SCOPES.filter((scope) => authorize(principal, scope, resource) === "allowed")),
    buckets: [bucket.slug],
    prefix: "",
    limits: principal.limits?.buckets,
    owner: { id: projectId, displayName: bucket.project_slug },
  };
}
