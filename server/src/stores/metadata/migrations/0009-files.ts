import type { MetadataStore, Writer } from "../types.ts";
import { tableMaker, type TableDefinition } from "./tables.ts";

/** Files, grants to upload them, their usage, and their events. `schema.ts` says what the columns mean. */
export async function files(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  const create = tableMaker(tx, dialect);
  for (const [name, definition] of Object.entries(TABLES)) await create(name, definition);
}

const TABLES: Readonly<Record<string, TableDefinition>> = {
  file: {
    columns: {
      id: "text",
      org_id: "text",
      project_id: "text?",
      filename: "text",
      content_type: "text",
      size: "integer",
      sha256: "text",
      blob_id: "text",
      created_by: "text",
      created_at: "integer",
    },
    primaryKey: ["id"],
    indexes: [
      ["org_id", "created_at", "id", "project_id"],
      ["org_id", "filename", "created_at", "id", "project_id"],
      ["project_id", "org_id", "created_at", "id"],
      ["blob_id"],
    ],
    references: { org_id: "organization", project_id: "project", blob_id: "blob" },
  },
  upload_grant: {
    columns: {
      id: "text",
      org_id: "text",
      project_id: "text?",
      filename: "text",
      content_type: "text",
      size: "integer?",
      sha256: "text?",
      bytes_max: "integer",
      reserved: "integer",
      created_by: "text",
      created_at: "integer",
      expires_at: "integer",
      claim: "text?",
      claimed_until: "integer?",
    },
    primaryKey: ["id"],
    indexes: [["expires_at"], ["project_id"]],
    references: { org_id: "organization", project_id: "project" },
  },
  file_usage: {
    columns: {
      org_id: "text",
      place: "text",
      files: "integer",
      bytes: "integer",
      grants: "integer",
      reserved: "integer",
    },
    primaryKey: ["org_id", "place"],
    references: { org_id: "organization" },
  },
  file_policy: {
    columns: { org_id: "text", stored_bytes_max: "integer?", updated_at: "integer" },
    primaryKey: ["org_id"],
    references: { org_id: "organization" },
  },
  event_outbox: {
    columns: {
      id: "text",
      org_id: "text",
      project_id: "text?",
      type: "text",
      subject: "text",
      body: "text",
      created_at: "integer",
    },
    primaryKey: ["id"],
    indexes: [["created_at"]],
  },
};
