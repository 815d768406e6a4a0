import type { MetadataStore, Writer } from "../types.ts";
import { tableMaker, type TableDefinition } from "./tables.ts";

/** Repositories, blobs, uploads, manifests and tags of the container registry. `schema-registry.ts` says what the columns mean. */
export async function registry(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  const create = tableMaker(tx, dialect);
  for (const [name, definition] of Object.entries(TABLES)) await create(name, definition);
}

const TABLES: Readonly<Record<string, TableDefinition>> = {
  registry_repository: {
    columns: {
      id: "text",
      org_id: "text",
      is_public: "integer",
      immutable_tags: "text",
      retention: "text?",
      pulls: "integer",
      last_pull_at: "integer?",
      last_push_at: "integer?",
      updated_at: "integer",
    },
    primaryKey: ["id"],
    references: { id: "app", org_id: "organization" },
  },
  registry_blob: {
    columns: {
      repository: "text",
      digest: "text",
      org_id: "text",
      blob_id: "text",
      sha256: "text",
      size: "integer",
      created_at: "integer",
      lease_until: "integer?",
    },
    primaryKey: ["repository", "digest"],
    indexes: [["org_id", "sha256"], ["org_id", "digest"], ["blob_id"], ["lease_until"]],
    references: { repository: "app", blob_id: "blob" },
  },
  registry_upload: {
    columns: {
      id: "text",
      repository: "text",
      org_id: "text",
      created_by: "text",
      state: "text",
      received: "integer",
      created_at: "integer",
      expires_at: "integer",
    },
    primaryKey: ["id"],
    indexes: [["expires_at"], ["repository"], ["created_by"]],
    references: { repository: "app" },
  },
  registry_upload_part: {
    columns: {
      upload_id: "text",
      start: "integer",
      org_id: "text",
      size: "integer",
      sha256: "text",
      blob_id: "text",
    },
    primaryKey: ["upload_id", "start"],
    indexes: [["blob_id"]],
    references: { upload_id: "registry_upload", blob_id: "blob" },
  },
  registry_manifest: {
    columns: {
      repository: "text",
      digest: "text",
      org_id: "text",
      blob_id: "text",
      media_type: "text",
      artifact_type: "text?",
      subject: "text?",
      annotations: "text",
      size: "integer",
      created_by: "text",
      created_at: "integer",
      pulls: "integer",
      last_pull_at: "integer?",
      lease_until: "integer?",
      untagged_at: "integer?",
    },
    primaryKey: ["repository", "digest"],
    indexes: [
      ["repository", "untagged_at"],
      ["repository", "subject", "digest"],
      ["org_id", "digest"],
      ["blob_id"],
      ["lease_until"],
    ],
    references: { repository: "app", blob_id: "blob" },
  },
  registry_reference: {
    columns: {
      repository: "text",
      manifest: "text",
      target: "text",
      org_id: "text",
      kind: "text",
      position: "integer",
      media_type: "text",
      size: "integer",
      platform: "text?",
    },
    primaryKey: ["repository", "manifest", "target"],
    indexes: [["repository", "target"]],
    references: { repository: "app" },
  },
  registry_tag: {
    columns: {
      repository: "text",
      name: "text",
      org_id: "text",
      digest: "text",
      created_by: "text",
      created_at: "integer",
      updated_at: "integer",
    },
    primaryKey: ["repository", "name"],
    indexes: [["repository", "digest"]],
    references: { repository: "app" },
  },
  registry_usage: {
    columns: { org_id: "text", bytes: "integer", uploading: "integer" },
    primaryKey: ["org_id"],
    references: { org_id: "organization" },
  },
  registry_policy: {
    columns: { org_id: "text", stored_bytes_max: "integer?", updated_at: "integer" },
    primaryKey: ["org_id"],
    references: { org_id: "organization" },
  },
};
