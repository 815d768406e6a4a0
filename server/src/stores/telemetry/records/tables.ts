import type { Column } from "../columns.ts";

/**
 * Tables whose rows are records of the metadata store. Statements read them as any other; whether they may be read is for whoever
 * asks to say (`QueryRequest.records`). Of one with a `project_id`, rows are seen as those of telemetry are.
 */
export type RecordTable = "audit_log" | "webhook_events" | "images";

const text = (name: string, description: string): Column => ({ name, type: "VARCHAR", description });

export const RECORD_TABLES: Readonly<Record<RecordTable, readonly Column[]>> = {
  audit_log: [
    { name: "timestamp", type: "TIMESTAMPTZ", description: "when it happened, UTC" },
    text("id", "identifier of the entry"),
    text("action", "what was done, for example project.create"),
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
    text("verified", "the scheme by which it was verified, or none"),
    { name: "headers", type: "JSON", description: "list of [name, value]; credentials are redacted" },
    text("body", "as text; NULL when it is longer than 64 KiB"),
    { name: "json", type: "JSON", description: "the body where it is JSON; read a key as text with json->>'key'" },
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
};

export const RECORD_TABLE_NAMES = Object.keys(RECORD_TABLES) as RecordTable[];
