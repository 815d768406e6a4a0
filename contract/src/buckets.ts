import Type from "typebox";
import { closed, Id, IdOrSlug, nullable, page } from "./organization/shapes.ts";
import { route } from "./route.ts";
import { AppSlug, Timestamp } from "./shared.ts";

const Bytes = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
/** S3 counts bytes of UTF-8, of which a character has at least one. */
const Key = Type.String({
  minLength: 1,
  maxLength: 1024,
  description: "1 to 1024 bytes of UTF-8, kept as it was sent",
});
const VersionId = Type.String({ minLength: 1, maxLength: 64, description: "null where the bucket had no versions" });
const Texts = Type.Record(Type.String(), Type.String());

/** Seconds; Signature V4 allows no more than a week. */
export const OBJECT_LINK_LIFETIME_S_MAX = 604_800;
/** One PUT of S3 has at most 5 GiB. */
export const OBJECT_UPLOAD_BYTES_MAX = 5 * 1024 ** 3;

export const Bucket = Type.Object({
  app_id: Id,
  bucket: AppSlug,
  project_id: Id,
  versioning: Type.Enum(["unversioned", "enabled", "suspended"]),
  object_lock: Type.Boolean({ description: "objects can be kept from deletion" }),
  encryption: nullable(Type.String({ description: "what new objects are kept under unless they say otherwise" })),
  public: Type.Boolean({ description: "everybody may read, by its policy or its access control list" }),
  versions: Type.Integer({ minimum: 0, description: "that have content: present objects and those before them" }),
  size_bytes: Type.Integer({
    minimum: 0,
    description: "of all versions, and of parts of uploads that were not completed",
  }),
});

const Listed = {
  key: Type.String({ description: "of a common prefix with the delimiter at its end" }),
  size_bytes: nullable(Bytes),
  etag: nullable(Type.String()),
  last_modified: nullable(Timestamp),
};

/** One line of a listing: an object, or a common prefix, whose other members are null. */
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
  headers: Type.Record(Type.String(), Type.String(), { description: "fields that are sent with the content" }),
  metadata: Type.Record(Type.String(), Type.String(), { description: "x-amz-meta-…" }),
  tags: Texts,
  checksum: nullable(Type.Object({ algorithm: Type.String(), type: Type.String(), value: Type.String() })),
  encryption: nullable(Type.Enum(["AES256", "SSE-C"])),
  parts: nullable(Type.Integer({ minimum: 1, description: "that it came in; null: in one piece" })),
  retention: nullable(Type.Object({ mode: Type.String(), until: Timestamp })),
  legal_hold: Type.Boolean(),
  owner: Type.Object({ id: Type.String(), name: Type.String() }),
});

const Deleted = Type.Object({
  key: Type.String(),
  version_id: nullable(Type.String({ description: "that was deleted for good; null: the present version" })),
  delete_marker: nullable(Type.String({ description: "version of the delete marker that was put or taken away" })),
  error: nullable(Type.Object({ code: Type.String({ description: "as S3 names it" }), detail: Type.String() })),
});

const bucketParams = Type.Object({ app_id: IdOrSlug }, closed);
const listing = {
  prefix: Type.Optional(Type.String({ maxLength: 1024 })),
  delimiter: Type.Optional(Type.String({ maxLength: 64, description: "keys are grouped up to it, as in folders" })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
  cursor: Type.Optional(Type.String({ maxLength: 8192 })),
};
const lifetime = Type.Optional(
  Type.Integer({ minimum: 1, maximum: OBJECT_LINK_LIFETIME_S_MAX, default: 900, description: "seconds" }),
);

/** What people do with the objects of a bucket; programs use S3. */
export const BUCKET_ROUTES = {
  getBucket: route({
    operationId: "getBucket",
    method: "GET",
    path: "/v1/buckets/{app_id}",
    tag: "buckets",
    summary: "Show how a bucket is set, and what it holds",
    permission: "s3:read",
    params: bucketParams,
    result: Bucket,
    status: 200,
    problems: ["not_found"],
  }),
  listObjects: route({
    operationId: "listObjects",
    method: "GET",
    path: "/v1/buckets/{app_id}/objects",
    tag: "buckets",
    summary: "List the objects of a bucket, in the order of the bytes of their keys",
    description: "With `delimiter=/` keys are grouped by folder, and a group is one line. As S3's ListObjectsV2.",
    permission: "s3:read",
    params: bucketParams,
    query: Type.Object(listing, closed),
    result: page(ListedObject),
    status: 200,
    problems: ["invalid_parameter", "not_found"],
  }),
  listObjectVersions: route({
    operationId: "listObjectVersions",
    method: "GET",
    path: "/v1/buckets/{app_id}/versions",
    tag: "buckets",
    summary: "List the versions of a bucket's objects, including deleted ones",
    description:
      "The newest version of a key first. With `key`, only the versions of this key; then without `prefix` and `delimiter`.",
    permission: "s3:read",
    params: bucketParams,
    query: Type.Object({ ...listing, key: Type.Optional(Key) }, closed),
    result: page(ListedVersion),
    status: 200,
    problems: ["invalid_parameter", "not_found"],
  }),
  getObject: route({
    operationId: "getObject",
    method: "GET",
    path: "/v1/buckets/{app_id}/object",
    tag: "buckets",
    summary: "Show all that is known of an object, without its content",
    permission: "s3:read",
    params: bucketParams,
    query: Type.Object({ key: Key, version_id: Type.Optional(VersionId) }, closed),
    result: ObjectDetail,
    status: 200,
    problems: ["invalid_parameter", "not_found"],
  }),
  createObjectLink: route({
    operationId: "createObjectLink",
    method: "POST",
    path: "/v1/buckets/{app_id}/links",
    tag: "buckets",
    summary: "Make a presigned URL that an object is downloaded from",
    description:
      "A URL of the S3 gateway. Everybody who has it can download this object until it expires, or until its creator loses the permission, which is checked each time.",
    permission: "s3:read",
    params: bucketParams,
    body: Type.Object({ key: Key, version_id: Type.Optional(VersionId), expires_in: lifetime }, closed),
    result: Type.Object({ url: Type.String(), filename: Type.String(), expires_at: Timestamp }),
    status: 200,
    problems: ["invalid_body", "not_found"],
  }),
  createObjectUpload: route({
    operationId: "createObjectUpload",
    method: "POST",
    path: "/v1/buckets/{app_id}/uploads",
    tag: "buckets",
    summary: "Make a presigned URL that an object is uploaded to",
    description:
      "PUT with the Content-Type that was declared, 5 GiB at most, to `url` at the S3 gateway, or to `same_origin_url`, which forwards it, for pages that may call only this origin. It works while its creator may write.",
    permission: "s3:write",
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
    method: "POST",
    path: "/v1/buckets/{app_id}/delete",
    tag: "buckets",
    summary: "Delete objects, or versions of them",
    description:
      "As S3's DeleteObjects: each separately; an absent object counts as deleted. Where the bucket has versions, an object without a `version_id` gets a delete marker; deleting that marker's version brings the object back.",
    permission: "s3:delete",
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
