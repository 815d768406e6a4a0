import Type from "typebox";

export const HTTP_URL = "an address that begins with http:// or https://, without ? and #";
export const url = Type.Union([Type.Null(), Type.String({ pattern: "^https?://[^/?#]+(/[^?#]*)?$" })]);

export const UPSTREAM_SETTINGS = {
  objects_s3_bucket: {
    schema: Type.Union([Type.Null(), Type.String({ pattern: "^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$" })]),
    default: null,
    form: "the name of a bucket",
    description:
      "bucket of an upstream S3 store for the content of files and objects; without it, content is in the data directory",
  },
  objects_s3_endpoint: {
    schema: url,
    default: null,
    form: HTTP_URL,
    description: "address of that store; if not set, AWS in the region objects_s3_region",
  },
  objects_s3_public_endpoint: {
    schema: url,
    default: null,
    form: HTTP_URL,
    description: "address of that store for clients; if not set, objects_s3_endpoint",
  },
  objects_s3_region: {
    schema: Type.String({ pattern: "^[a-z0-9-]{1,63}$" }),
    default: "us-east-1",
    form: "the name of a region",
    description: "region of the bucket",
  },
  objects_s3_prefix: {
    schema: Type.String({ pattern: "^([A-Za-z0-9._-]+/)*$", maxLength: 200 }),
    default: "",
    form: "empty, or names that each end with /",
    description: "prefix of every key in the bucket",
  },
  objects_s3_addressing: {
    schema: Type.Enum(["path", "host"]),
    default: "path",
    form: "path or host",
    description: "whether addresses have the bucket in the path, or in the host as AWS requires",
  },
  objects_s3_access_key_id: {
    schema: Type.Union([Type.Null(), Type.String({ minLength: 1, maxLength: 256 })]),
    default: null,
    description: "access key ID with permission to read, write, list and delete in the bucket",
  },
  objects_s3_secret_access_key: {
    schema: Type.Union([Type.Null(), Type.String({ minLength: 1, maxLength: 256 })]),
    default: null,
    description: "secret of that access key",
    secret: true,
  },
  objects_s3_urls: {
    schema: Type.Enum(["direct", "proxied"]),
    default: "direct",
    form: "direct or proxied",
    description:
      "whether presigned URLs of files lead to the upstream store (direct) or to this server (proxied, for stores that clients can't reach)",
  },
} as const;
