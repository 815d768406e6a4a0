import type { MetadataStore, Writer } from "../types.ts";
import { tableMaker, type TableDefinition } from "./tables.ts";

type Definitions = Readonly<Record<string, TableDefinition>>;

/** Creates the tables of organizations, identity, audit and telemetry files. `schema.ts` says what the columns mean. */
export async function foundation(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  const create = tableMaker(tx, dialect);
  for (const group of [TENANCY, IDENTITY, RECORDS, TELEMETRY]) {
    for (const [name, definition] of Object.entries(group)) await create(name, definition);
  }
}

const TENANCY: Definitions = {
  organization: {
    columns: {
      id: "text",
      slug: "text",
      name: "text",
      token_lifetime_s: "integer",
      policy: "text",
      created_at: "integer",
    },
    primaryKey: ["id"],
    unique: [["slug"]],
  },
  project: {
    columns: { id: "text", org_id: "text", slug: "text", name: "text", visibility: "text", created_at: "integer" },
    primaryKey: ["id"],
    unique: [["org_id", "slug"]],
    references: { org_id: "organization" },
  },
  app: {
    columns: { id: "text", org_id: "text", project_id: "text", slug: "text", name: "text", created_at: "integer" },
    primaryKey: ["id"],
    unique: [["org_id", "slug"]],
    indexes: [["project_id"]],
    references: { org_id: "organization", project_id: "project" },
  },
  person: {
    columns: { id: "text", email: "text", name: "text", password_hash: "text?", created_at: "integer" },
    primaryKey: ["id"],
    unique: [["email"]],
  },
  member: {
    columns: { org_id: "text", user_id: "text", role: "text", created_at: "integer" },
    primaryKey: ["org_id", "user_id"],
    indexes: [["user_id"]],
    references: { org_id: "organization", user_id: "person" },
  },
  project_member: {
    columns: { org_id: "text", project_id: "text", user_id: "text", role: "text", created_at: "integer" },
    primaryKey: ["project_id", "user_id"],
    indexes: [["org_id", "user_id"], ["user_id"]],
    references: { org_id: "organization", project_id: "project", user_id: "person" },
  },
  invitation: {
    columns: {
      id: "text",
      org_id: "text",
      email: "text",
      role: "text",
      token_hash: "text",
      invited_by: "text",
      created_at: "integer",
      expires_at: "integer",
      accepted_at: "integer?",
      revoked_at: "integer?",
    },
    primaryKey: ["id"],
    unique: [["token_hash"]],
    indexes: [["org_id", "email"]],
    references: { org_id: "organization" },
  },
  setup_link: {
    columns: {
      id: "text",
      org_id: "text",
      user_id: "text",
      token_hash: "text",
      created_at: "integer",
      expires_at: "integer",
      used_at: "integer?",
    },
    primaryKey: ["id"],
    unique: [["token_hash"]],
    indexes: [["org_id"], ["user_id"]],
    references: { org_id: "organization", user_id: "person" },
  },
};

const IDENTITY: Definitions = {
  credential: {
    columns: {
      id: "text",
      client_id: "text",
      org_id: "text",
      project_id: "text?",
      name: "text",
      scopes: "text",
      created_by: "text",
      created_at: "integer",
      expires_at: "integer?",
      revoked_at: "integer?",
      epoch: "integer",
      last_used_at: "integer?",
      last_used_ip: "text?",
    },
    primaryKey: ["id"],
    unique: [["client_id"]],
    indexes: [["org_id", "id"], ["project_id"], ["created_by"]],
    // No reference to the project: a revoked credential is kept after its project is deleted.
    references: { org_id: "organization" },
  },
  credential_secret: {
    columns: {
      id: "text",
      credential_id: "text",
      hash: "text",
      hint: "text",
      created_at: "integer",
      expires_at: "integer?",
      last_used_at: "integer?",
    },
    primaryKey: ["id"],
    unique: [["hash"]],
    indexes: [["credential_id"]],
    references: { credential_id: "credential" },
  },
  signing_key: {
    columns: {
      kid: "text",
      alg: "text",
      public_jwk: "text",
      private_key: "bytes",
      created_at: "integer",
      active_at: "integer",
      retired_at: "integer?",
      removed_at: "integer?",
    },
    primaryKey: ["kid"],
  },
  auth_change: {
    columns: { seq: "integer", kind: "text", subject: "text", epoch: "integer", at: "integer", expires_at: "integer?" },
    primaryKey: ["seq"],
    indexes: [["kind", "subject"], ["expires_at"]],
  },
  node: {
    columns: { id: "text", applied_seq: "integer", started_at: "integer", seen_at: "integer" },
    primaryKey: ["id"],
  },
};

const RECORDS: Definitions = {
  // No references: an entry is kept after its objects are deleted.
  audit: {
    columns: {
      org_id: "text",
      seq: "integer",
      id: "text",
      at: "integer",
      actor_kind: "text",
      actor_id: "text?",
      action: "text",
      target_kind: "text?",
      target_id: "text?",
      result: "text",
      ip: "text?",
      request_id: "text?",
      detail: "text",
      prev_hash: "text",
      hash: "text",
    },
    primaryKey: ["org_id", "seq"],
    unique: [["id"]],
    indexes: [["org_id", "at"]],
  },
  idempotency: {
    columns: {
      key_hash: "text",
      owner: "text",
      fingerprint: "text",
      status: "integer",
      headers: "text",
      body: "text",
      created_at: "integer",
    },
    primaryKey: ["key_hash"],
    indexes: [["created_at"]],
  },
};

const TELEMETRY: Definitions = {
  telemetry_file: {
    columns: {
      store_id: "text",
      id: "text",
      org_id: "text",
      type: "text",
      path: "text",
      rows: "integer",
      bytes: "integer",
      min_us: "integer",
      max_us: "integer",
      created_at: "integer",
      dropped_at: "integer?",
    },
    primaryKey: ["store_id", "id"],
    unique: [["store_id", "path"]],
    indexes: [
      ["store_id", "org_id", "type", "dropped_at", "min_us"],
      ["store_id", "dropped_at"],
    ],
  },
  telemetry_progress: {
    columns: { store_id: "text", org_id: "text", type: "text", compacted_seq: "integer" },
    primaryKey: ["store_id", "org_id", "type"],
  },
  telemetry_key: {
    columns: {
      store_id: "text",
      org_id: "text",
      type: "text",
      key_hash: "text",
      body_hash: "text",
      accepted: "integer",
      at: "integer",
    },
    primaryKey: ["store_id", "org_id", "type", "key_hash"],
    indexes: [["store_id", "at"]],
  },
};
