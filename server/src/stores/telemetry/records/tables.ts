import type { Column } from "../columns.ts";

/**
 * Tables whose rows are records of the metadata store. Statements read them like any other; the caller decides whether
 * they may be read (`QueryRequest.records`). In a table with a `project_id`, rows are visible as those of telemetry
 * are.
 */
export type RecordTable = "audit_log" | "webhook_events" | "images" | "files" | "objects";

const text = (name: string, description: string): Column => ({ name, type: "VARCHAR", description });

export const RECORD_TABLES: Readonly<Record<RecordTable, readonly Column[]>> = {
  audit_log: [
    { name: "timestamp", type: "TIMESTAMPTZ", description: "when it happened, UTC" },
    text("id", "identifier of the entry"),
    text("action", "the action, for example project.create"),
    text("actor_kind", "person, credential, system or anonymous"),
    text("actor_id", "identifier of who did it, or NULL"),
    text("target_kind", "kind of what it was done to, or NULL"),
    text("target_id", "identifier of what it was done to, or NULL"),
    text("result", "success, denied or failure"),
    text("ip", "address that the request came from, or NULL"),
    text("request_id", "identifier of the request, or NULL"),
    { name: "detail", type: "JSON", description: "what else is known; read a key as text with detail->>'key'" },
  ],
  webhook_events: [
    { name: "timestamp", type: "TIMESTAMPTZ", description: "when it was received, UTC" },
    text("id", "identifier of the event"),
    text("webhook_id", "identifier of the webhook"),
    text("project_id", "identifier of the webhook's project"),
    text("type", "what kind of event it is, as the sender says, or NULL"),
    text("method", "of the request"),
    text("query", "of the request's address, without the question mark"),
    text("content_type", "as it was sent, or NULL"),
    { name: "size_bytes", type: "BIGINT", description: "size of the body" },
    text("ip", "address that the request came from"),
    text("verified", "the scheme that verified it, or none"),
    {
      name: "headers",
      type: "JSON",
      description: "list of [name, value]; of what looks like a secret redacted: and a keyed hash",
    },
    text(
      "body_format",
      "json, deep_json (nested deeper than 100 levels), text or binary; NULL when longer than 64 KiB",
    ),
    text("body", "as text, as it was sent; in a binary one U+FFFD for invalid UTF-8; NULL when longer than 64 KiB"),
    text("body_base64", "a binary body; else NULL"),
    {
      name: "json",
      type: "JSON",
      description: "the body's own text where body_format is json; read a key as text with json->>'key'",
    },
  ],
  images: [
    { name: "timestamp", type: "TIMESTAMPTZ", description: "when the manifest was pushed first, UTC" },
    text("repository", "name of the repository, for example orgs/acme/shop"),
    text("project_id", "identifier of the repository's project"),
    text("digest", "of the manifest"),
    { name: "tags", type: "JSON", description: "list of the tags that point at it now" },
    text("media_type", "of the manifest; an index is one of several platforms"),
    text("artifact_type", "of an artifact, or the config's media type, or NULL"),
    text("subject", "digest of the manifest that it is about, as signatures are, or NULL"),
    { name: "annotations", type: "JSON", description: "of the manifest; read one as text with annotations->>'key'" },
    {
      name: "size_bytes",
      type: "BIGINT",
      description: "of the manifest and of what it names; an index names manifests",
    },
    text("created_by", "identifier of who pushed it"),
    { name: "pulls", type: "BIGINT", description: "how often it was pulled, to the last seconds" },
    { name: "last_pull_at", type: "TIMESTAMPTZ", description: "when it was pulled last, UTC, or NULL" },
  ],
  files: [
    { name: "timestamp", type: "TIMESTAMPTZ", description: "when its content was there, UTC" },
    text("id", "identifier of the file"),
    text("project_id", "identifier of the file's project, or NULL when it is the organization's"),
    text("filename", "as it was sent"),
    text("content_type", "as it was declared"),
    { name: "size_bytes", type: "BIGINT", description: "size of the content" },
    text("sha256", "of the content, in hexadecimal"),
    text("created_by", "identifier of who uploaded it"),
  ],
  objects: [
    { name: "timestamp", type: "TIMESTAMPTZ", description: "when the version was written, UTC" },
    text("bucket", "name of the bucket, which is its app's slug"),
    text("app_id", "identifier of the bucket's app"),
    text("project_id", "identifier of the bucket's project"),
    text("key", "of the object"),
    { name: "size_bytes", type: "BIGINT", description: "size of the content; 0 of a delete marker" },
    text("etag", "without quotation marks; NULL of a delete marker"),
    text("content_type", "as it was sent, or NULL"),
    text("checksum", "ALGORITHM:BASE64, or NULL when none was sent"),
    text("encryption", "AES256 or SSE-C, or NULL when the bucket keeps it as it came"),
    text("version_id", "null where the bucket had no versions"),
    { name: "is_latest", type: "BOOLEAN", description: "the newest version of its key" },
    { name: "is_delete_marker", type: "BOOLEAN", description: "the key was deleted by this version" },
  ],
};

export const RECORD_TABLE_NAMES = Object.keys(RECORD_TABLES) as RecordTable[];
