import type { MetadataStore, Writer } from "../types.ts";
import { tableMaker, type TableDefinition } from "./tables.ts";

/** Creates the tables of S3 keys, buckets, objects and uploads. `schema-s3.ts` says what the columns mean. */
export async function s3(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  const create = tableMaker(tx, dialect);
  for (const [name, definition] of Object.entries(TABLES)) await create(name, definition);
}

const VERSION = {
  bucket: "text",
  key: "bytes",
  seq: "integer",
  version_id: "text",
  org_id: "text",
  size: "integer",
  etag: "text",
  modified_at: "integer",
  owner: "text",
  tags: "text",
  detail: "text",
  parts: "text?",
} as const;

const TABLES: Readonly<Record<string, TableDefinition>> = {
  s3_key: {
    columns: {
      id: "text",
      access_key: "text",
      org_id: "text",
      project_id: "text?",
      name: "text",
      scopes: "text",
      buckets: "text?",
      prefix: "text",
      secret: "bytes",
      created_by: "text",
      created_at: "integer",
      expires_at: "integer?",
      revoked_at: "integer?",
      last_used_at: "integer?",
    },
    primaryKey: ["id"],
    unique: [["access_key"]],
    indexes: [["org_id", "id"]],
    references: { org_id: "organization" },
  },
  s3_bucket: {
    columns: { id: "text", org_id: "text", versioning: "text", config: "text", revision: "integer" },
    primaryKey: ["id"],
    references: { id: "app" },
  },
  s3_object: {
    columns: { blob_id: "text", ...VERSION },
    primaryKey: ["bucket", "key"],
    indexes: [["blob_id"]],
    references: { bucket: "app", blob_id: "blob" },
  },
  s3_history: {
    columns: { blob_id: "text?", ...VERSION },
    primaryKey: ["bucket", "key", "seq"],
    indexes: [["bucket", "key", "version_id"], ["blob_id"]],
    references: { bucket: "app", blob_id: "blob" },
  },
  s3_upload: {
    columns: {
      id: "text",
      bucket: "text",
      org_id: "text",
      key: "bytes",
      created_at: "integer",
      owner: "text",
      detail: "text",
      completed_at: "integer?",
      result: "text?",
    },
    primaryKey: ["id"],
    indexes: [["bucket", "key", "id"], ["completed_at"]],
    references: { bucket: "app" },
  },
  s3_part: {
    columns: {
      upload_id: "text",
      number: "integer",
      org_id: "text",
      blob_id: "text",
      size: "integer",
      etag: "text",
      checksum: "text?",
      nonce: "text?",
      modified_at: "integer",
    },
    primaryKey: ["upload_id", "number"],
    indexes: [["blob_id"]],
    references: { upload_id: "s3_upload", blob_id: "blob" },
  },
  s3_usage: {
    columns: { org_id: "text", bucket: "text", shard: "integer", objects: "integer", bytes: "integer" },
    primaryKey: ["org_id", "bucket", "shard"],
    references: { org_id: "organization" },
  },
};
