import type { AccessAction } from "@mooring/contract";
import type { Bucket } from "#domain/s3/index.ts";
import type { Accessed, Actor } from "#http/index.ts";
import type { Authentication } from "./auth/authenticate.ts";
import { parameterOf, type Exchange } from "./wire/request.ts";

/** The operations on the content of buckets, and their rows in the access log. */
const ACTIONS: Readonly<Record<string, AccessAction>> = {
  GetObject: "object.get",
  HeadObject: "object.head",
  GetObjectAttributes: "object.head",
  PutObject: "object.put",
  PostObject: "object.put",
  UploadPart: "object.put",
  CompleteMultipartUpload: "object.put",
  CopyObject: "object.copy",
  UploadPartCopy: "object.copy",
  DeleteObject: "object.delete",
  DeleteObjects: "object.delete",
  ListObjects: "object.list",
  ListObjectsV2: "object.list",
  ListObjectVersions: "object.list",
};

const VIA: Readonly<Record<Authentication["kind"], Actor["via"]>> = {
  anonymous: "anonymous",
  "v4-header": "signature",
  "v2-header": "signature",
  "v4-query": "presigned",
  "v2-query": "presigned",
  form: "presigned",
};

/** Returns the part of the row that is known before the bucket is; undefined when the operation has no row. */
export function accessOf(
  operation: string,
  { bucket, key, target }: Pick<Exchange, "bucket" | "key" | "target">,
  { kind, principal }: Pick<Authentication, "kind" | "principal">,
): Accessed | undefined {
  const action = ACTIONS[operation];
  if (action === undefined || principal.orgId === null) return undefined;
  const version = parameterOf(target, "versionId");
  return {
    action,
    orgId: principal.orgId,
    actor: actorOf(kind, principal),
    targetKind: key === "" ? "bucket" : "object",
    targetId: null,
    targetName: key === "" ? bucket : `${bucket}/${key}`,
    version,
  };
}

export function placeIn({ id: targetId, projectId }: Bucket): Pick<Accessed, "targetId" | "projectId"> {
  return { targetId, projectId };
}

function actorOf(kind: Authentication["kind"], principal: Authentication["principal"]): Actor {
  const via = VIA[kind];
  if (principal.kind === "anonymous") return { kind: "anonymous", id: null, via };
  const { id, accessKeyId: name, actor } = principal;
  const grantBy = via === "presigned" ? (actor?.id ?? id) : undefined;
  return { kind: actor?.kind === "person" ? "person" : "credential", id: actor?.id ?? id, name, via, grantBy };
}
