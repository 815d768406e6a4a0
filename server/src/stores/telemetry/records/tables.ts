import type { Column } from "../columns.ts";

/**
 * Tables whose rows are records of the metadata store. Statements read them like other tables. The caller decides whether a
 * principal may read them (`QueryRequest.records`). In a table with a `project_id`, the same projects are visible as in
 * telemetry.
 */
export type RecordTable = "audit_log" | "webhook_events" | "images" | "files" | "objects" | "usage_daily";

const text = (name: string, description: string): Column => ({ name, type: "VARCHAR", description });

export const RECORD_TABLES: Readonly<Record<RecordTable, readonly Column[]>> = {
  audit_log: [
    { name: "timestamp", type: "TIMESTAMPTZ", description: "time of the action, UTC" },
    text("id", "identifier of the entry"),
    text("action", "the action, for example project.create"),
    text("actor_kind", "person, credential, system or anonymous"),
    text("actor_id", "identifier of the actor, or NULL"),
    text("target_kind", "kind of the affected object, or NULL"),
    text("target_id", "identifier of the affected object, or NULL"),
    text("result", "success, denied or failure"),
    text("ip", "address that the request came from, or NULL"),
    text("request_id", "identifier of the request, or NULL"),
    { name: "detail", type: "JSON", description: "further details; read a key as text with detail->>'key'" },
  ],
  webhook_events: [
    { name: "timestamp", type: "TIMESTAMPTZ", description: "time of the request, UTC" },
    text("id", "identifier of the event"),
    text("webhook_id", "identifier of the webhook"),
    text("project_id", "identifier of the webhook's project"),
    text("type", "kind of the event, set by the sender, or NULL"),
    text("method", "of the request"),
    text("query", "query string of the request's URL, without the question mark"),
    text("content_type", "media type that the sender declared, or NULL"),
    { name: "size_bytes", type: "BIGINT", description: "size of the body" },
    text("ip", "address that the request came from"),
    text("verified", "scheme that verified the request, or none"),
    {
      name: "headers",
      type: "JSON",
      description: "list of [name, value]; a value that looks like a secret is replaced by redacted: and a keyed hash",
    },
    text(
      "body_format",
      "json, deep_json (nested deeper than 100 levels), text or binary; NULL when longer than 64 KiB",
    ),
    text("body", "body as text; U+FFFD replaces invalid UTF-8 of a binary body; NULL when longer than 64 KiB"),
    text("body_base64", "a binary body, otherwise NULL"),
    {
      name: "json",
      type: "JSON",
      description: "the body when body_format is json; read a key as text with json->>'key'",
    },
  ],
  images: [
    { name: "timestamp", type: "TIMESTAMPTZ", description: "time of the manifest's first push, UTC" },
    text("repository", "name of the repository, for example orgs/acme/shop"),
    text("project_id", "identifier of the repository's project"),
    text("digest", "of the manifest"),
    { name: "tags", type: "JSON", description: "list of its current tags" },
    text("media_type", "media type of the manifest; an image for several platforms has an index"),
    text("artifact_type", "type of the artifact, or the media type of its config, or NULL"),
    text("subject", "digest of the manifest that this one refers to, for example a signature, or NULL"),
    {
      name: "annotations",
      type: "JSON",
      description: "annotations of the manifest; read one as text with annotations->>'key'",
    },
    {
      name: "size_bytes",
      type: "BIGINT",
      description: "size of the manifest and of all that it references; an index references manifests",
    },
    text("created_by", "identifier of the actor that pushed it"),
    { name: "pulls", type: "BIGINT", description: "number of pulls; the pulls of the last seconds may be missing" },
    { name: "last_pull_at", type: "TIMESTAMPTZ", description: "time of the last pull, UTC, or NULL" },
  ],
  files: [
    { name: "timestamp", type: "TIMESTAMPTZ", description: "time when the upload was complete, UTC" },
    text("id", "identifier of the file"),
    text("project_id", "identifier of the file's project, or NULL when the file belongs to the organization"),
    text("filename", "name that the client sent"),
    text("content_type", "media type that the client declared"),
    { name: "size_bytes", type: "BIGINT", description: "size of the content" },
    text("sha256", "SHA-256 of the content, in hexadecimal"),
    text("created_by", "identifier of the actor that uploaded it"),
  ],
  objects: [
    { name: "timestamp", type: "TIMESTAMPTZ", description: "time of the version, UTC" },
    text("bucket", "name of the bucket (the slug of its app)"),
    text("app_id", "identifier of the bucket's app"),
    text("project_id", "identifier of the bucket's project"),
    text("key", "of the object"),
    { name: "size_bytes", type: "BIGINT", description: "size of the content; 0 for a delete marker" },
    text("etag", "ETag without quotation marks; NULL for a delete marker"),
    text("content_type", "media type that the client sent, or NULL"),
    text("checksum", "ALGORITHM:BASE64, or NULL when none was sent"),
    text("encryption", "AES256 or SSE-C, or NULL when the content is not encrypted"),
    text("version_id", "identifier of the version; null when the bucket had no versioning"),
    { name: "is_latest", type: "BOOLEAN", description: "true for the newest version of its key" },
    { name: "is_delete_marker", type: "BOOLEAN", description: "true when this version deleted the key" },
  ],
  usage_daily: [
    { name: "timestamp", type: "TIMESTAMPTZ", description: "begin of the day, UTC" },
    text("project_id", "identifier of the project, or NULL when there is none or it is not known"),
    text("credential_id", "identifier of the credential or S3 key, or NULL for people and unknown senders"),
    text("service", "for example telemetry, query, files, s3, registry or webhooks"),
    { name: "requests", type: "BIGINT", description: "requests" },
    { name: "refused", type: "BIGINT", description: "requests that were refused for a permission or a rate limit" },
    { name: "bytes_in", type: "BIGINT", description: "bytes of the bodies of requests" },
    { name: "bytes_out", type: "BIGINT", description: "bytes of the bodies of answers" },
    { name: "bytes_scanned", type: "BIGINT", description: "bytes of the files that queries have read" },
    {
      name: "bytes_stored",
      type: "BIGINT",
      description: "bytes at the last measurement of the day, on rows without a credential; 0 on the others",
    },
  ],
};

export const RECORD_TABLE_NAMES = Object.keys(RECORD_TABLES) as RecordTable[];
