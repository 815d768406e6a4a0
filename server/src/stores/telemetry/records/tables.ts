import type { Column } from "../columns.ts";

/**
 * Tables whose rows are records of the metadata store. Statements read them as any other; whether they may be read is for whoever
 * asks to say (`QueryRequest.records`). Of one with a `project_id`, rows are seen as those of telemetry are.
 */
export type RecordTable = "audit_log" | "webhook_events";

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
};

export const RECORD_TABLE_NAMES = Object.keys(RECORD_TABLES) as RecordTable[];
