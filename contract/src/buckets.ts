import Type from "typebox";
import { closed, Id, IdOrSlug, nullable, page } from "./organization/shapes.ts";
import { route } from "./route.ts";
import { AppSlug, Timestamp } from "./shared.ts";

const Bytes = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
/** S3 counts bytes of UTF-8. A character has at least one byte. */
const Key = Type.String({
  minLength: 1,
  maxLength: 1024,
  description: "1 to 1024 bytes of UTF-8, kept as it was sent",
});
const VersionId = Type.String({
  minLength: 1,
  maxLength: 64,
  description: "null for objects from before the bucket had versions",
});
const Texts = Type.Record(Type.String(), Type.String());

/** Seconds. Signature V4 allows a week at most. */
export const OBJECT_LINK_LIFETIME_S_MAX = 604_800;
/** S3 allows 5 GiB in one PUT. */
export const OBJECT_UPLOAD_BYTES_MAX = 5 * 1024 ** 3;

export const Bucket = Type.Object({
  app_id: Id,
  bucket: AppSlug,
  project_id: Id,
  versioning: Type.Enum(["unversioned", "enabled", "suspended"]),
  object_lock: Type.Boolean({ description: "objects can be protected from deletion" }),
  encryption: nullable(Type.String({ description: "the default encryption of new objects" })),
  public: Type.Boolean({ description: "everybody can read: the bucket's policy or its access control list allows it" }),
  versions: Type.Integer({ minimum: 0, description: "current objects and older versions; delete markers don't count" }),
  size_bytes: Type.Integer({
    minimum: 0,
    description: "the bytes of all versions, and of parts of unfinished uploads",
  }),
});

const Listed = {
  key: Type.String({ description: "for a common prefix: the prefix, with the delimiter at its end" }),
  size_bytes: nullable(Bytes),
  etag: nullable(Type.String()),
  last_modified: nullable(Timestamp),
};

/** One entry of a listing: an object, or a common prefix. A common prefix has null for all other members. */
export const ListedObject = Type.Object({ kind: Type.Enum(["object", "prefix"]), ...Listed });

export const ListedVersion = Type.Object({
  kind: Type.Enum(["version", "delete_marker", "prefix"]),
  ...Listed,
  version_id: nullable(Type.String()),
  is_latest: Type.Boolean(),
});

export const ObjectDetail = Type.Object({
  key: Type.String(),
  version_id: Type.String(),
  is_latest: Type.Boolean(),
  size_bytes: Bytes,
  etag: Type.String(),
  last_modified: Timestamp,
  headers: Type.Record(Type.String(), Type.String(), {
    description: "header fields that a download of the object has",
  }),
  metadata: Type.Record(Type.String(), Type.String(), { description: "x-amz-meta-…" }),
  tags: Texts,
  checksum: nullable(Type.Object({ algorithm: Type.String(), type: Type.String(), value: Type.String() })),
  encryption: nullable(Type.Enum(["AES256", "SSE-C"])),
  parts: nullable(
    Type.Integer({ minimum: 1, description: "the number of parts of the upload; null: it had no parts" }),
  ),
  retention: nullable(Type.Object({ mode: Type.String(), until: Timestamp })),
  legal_hold: Type.Boolean(),
  owner: Type.Object({ id: Type.String(), name: Type.String() }),
});

const Deleted = Type.Object({
  key: Type.String(),
  version_id: nullable(
    Type.String({ description: "the version that was deleted for good; null: the current version" }),
  ),
  delete_marker: nullable(Type.String({ description: "version of the delete marker that was created or deleted" })),
  error: nullable(Type.Object({ code: Type.String({ description: "the S3 error code" }), detail: Type.String() })),
});

const bucketParams = Type.Object({ app_id: IdOrSlug }, closed);
const listing = {
  prefix: Type.Optional(Type.String({ maxLength: 1024 })),
  delimiter: Type.Optional(Type.String({ maxLength: 64, description: "groups keys up to this text, like folders" })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
  cursor: Type.Optional(Type.String({ maxLength: 8192 })),
};
const lifetime = Type.Optional(
  Type.Integer({ minimum: 1, maximum: OBJECT_LINK_LIFETIME_S_MAX, default: 900, description: "seconds" }),
);

/** Operations on the objects of a bucket, for people. Programs use S3. */
export const BUCKET_ROUTES = {
  getBucket: route({
    operationId: "getBucket",
    method: "GET",
    path: "/v1/buckets/{app_id}",
    tag: "buckets",
    summary: "Show the settings and the content of a bucket",
    permission: "s3:read",
    resource: "buckets",
    params: bucketParams,
    result: Bucket,
    status: 200,
    problems: ["not_found"],
  }),
  listObjects: route({
    operationId: "listObjects",
    access: "object.list",
    method: "GET",
    path: "/v1/buckets/{app_id}/objects",
    tag: "buckets",
    summary: "List the objects of a bucket, in the order of the bytes of their keys",
    description:
      "Works like S3's ListObjectsV2. With `delimiter=/`, keys are grouped by folder, and each group is one item.",
    permission: "s3:read",
    resource: "buckets",
    params: bucketParams,
    query: Type.Object(listing, closed),
    result: page(ListedObject),
    status: 200,
    problems: ["invalid_parameter", "not_found"],
  }),
  listObjectVersions: route({
    operationId: "listObjectVersions",
    access: "object.list",
    method: "GET",
    path: "/v1/buckets/{app_id}/versions",
    tag: "buckets",
    summary: "List the versions of a bucket's objects, including deleted ones",
    description:
      "The newest version of a key comes first. With `key`, only the versions of this key; `prefix` and `delimiter` are then not allowed.",
    permission: "s3:read",
    resource: "buckets",
    params: bucketParams,
    query: Type.Object({ ...listing, key: Type.Optional(Key) }, closed),
    result: page(ListedVersion),
    status: 200,
    problems: ["invalid_parameter", "not_found"],
  }),
  getObject: route({
    operationId: "getObject",
    access: "object.head",
    method: "GET",
    path: "/v1/buckets/{app_id}/object",
    tag: "buckets",
    summary: "Show the details of an object, without its content",
    permission: "s3:read",
    resource: "buckets",
    params: bucketParams,
    query: Type.Object({ key: Key, version_id: Type.Optional(VersionId) }, closed),
    result: ObjectDetail,
    status: 200,
    problems: ["invalid_parameter", "not_found"],
  }),
  createObjectLink: route({
    operationId: "createObjectLink",
    secret: true,
    method: "POST",
    path: "/v1/buckets/{app_id}/links",
    tag: "buckets",
    summary: "Create a presigned URL to download an object",
    description:
      "A URL of the S3 gateway. Everybody who has it can download this object until it expires or its creator loses the permission. The server checks the permission at each request.",
    permission: "s3:read",
    resource: "buckets",
    params: bucketParams,
    body: Type.Object({ key: Key, version_id: Type.Optional(VersionId), expires_in: lifetime }, closed),
    result: Type.Object({ url: Type.String(), filename: Type.String(), expires_at: Timestamp }),
    status: 200,
    problems: ["invalid_body", "not_found"],
  }),
  createObjectUpload: route({
    operationId: "createObjectUpload",
    secret: true,
    method: "POST",
    path: "/v1/buckets/{app_id}/uploads",
    tag: "buckets",
    summary: "Create a presigned URL to upload an object",
    description:
      "PUT the content, 5 GiB at most, with the declared Content-Type to `url` at the S3 gateway. Pages that may call only this origin use `same_origin_url`, which forwards it. The URL works while its creator may write.",
    permission: "s3:write",
    resource: "buckets",
    params: bucketParams,
    body: Type.Object(
      {
        key: Key,
        content_type: Type.Optional(Type.String({ maxLength: 255, pattern: "^[!-~]([ -~]*[!-~])?$" })),
        expires_in: lifetime,
      },
      closed,
    ),
    result: Type.Object({ url: Type.String(), same_origin_url: Type.String(), headers: Texts, expires_at: Timestamp }),
    status: 200,
    problems: ["invalid_body", "not_found"],
  }),
  deleteObjects: route({
    operationId: "deleteObjects",
    access: "object.delete",
    method: "POST",
    path: "/v1/buckets/{app_id}/delete",
    tag: "buckets",
    summary: "Delete objects, or versions of them",
    description:
      "Works like S3's DeleteObjects: each object is deleted separately, and an absent object counts as deleted. If the bucket has versions, an object without a `version_id` gets a delete marker. Delete the marker's version to restore the object.",
    permission: "s3:delete",
    resource: "buckets",
    params: bucketParams,
    body: Type.Object(
      {
        objects: Type.Array(Type.Object({ key: Key, version_id: Type.Optional(VersionId) }, closed), {
          minItems: 1,
          maxItems: 1000,
        }),
      },
      closed,
    ),
    result: Type.Object({ items: Type.Array(Deleted) }),
    status: 200,
    problems: ["invalid_body", "not_found"],
  }),
} as const;
