import type { Column } from "../columns.ts";

/**
 * Tables whose rows are records of the metadata store. Statements read them as any other; what may be read of them is for whoever
 * asks to say (`QueryRequest.records`), since no column tells a project.
 */
export type RecordTable = "audit_log";

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
};

export const RECORD_TABLE_NAMES = Object.keys(RECORD_TABLES) as RecordTable[];
