import { sql } from "kysely";
import { constraintName } from "../errors.ts";
import type { Writer } from "../types.ts";

/**
 * Adds an index for each filter of each list, in the order of the list. So the cost of a page depends only on its own
 * rows.
 */
export async function listIndexes(tx: Writer): Promise<void> {
  for (const name of SUPERSEDED) await tx.schema.dropIndex(name).execute();
  for (const [table, indexes] of Object.entries(INDEXES)) {
    for (const columns of indexes) {
      await tx.schema
        .createIndex(`${constraintName(table, columns)}__index`)
        .on(table)
        .columns([...columns])
        .execute();
    }
  }
  for (const { name, table, columns, where } of PARTIAL) {
    await sql`create index ${sql.ref(name)} on ${sql.table(table)} (${sql.join(columns.map((column) => sql.ref(column)))})
      where ${sql.raw(where)}`.execute(tx);
  }
}

/** Filters of the audit log. */
const AUDIT_COLUMNS = ["actor_id", "action", "target_id", "result", "request_id"] as const;

const INDEXES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  // By time, then number: a filter with a time range is one range of one index.
  audit: [["org_id", "at", "seq"], ...AUDIT_COLUMNS.map((column) => ["org_id", column, "at", "seq"])],
  webhook_event: [
    ["webhook_id", "received_at", "seq"],
    ["webhook_id", "verified", "received_at", "seq"],
  ],
  webhook_delivery: [["destination_id", "state", "id"]],
  webhook: [["project_id", "id"]],
  credential: [
    ["org_id", "created_at", "id"],
    ["project_id", "created_at", "id"],
  ],
  credential_trust: [["org_id", "created_at", "id"]],
  s3_key: [["project_id", "id"]],
  app: [
    ["org_id", "id"],
    ["project_id", "id"],
  ],
  project: [
    ["org_id", "id"],
    ["org_id", "environment", "id"],
  ],
  invitation: [["org_id", "id"]],
  saved_query: [
    ["org_id", "id"],
    ["project_id", "id"],
  ],
  alert: [["org_id", "id"]],
  trashed_file: [["project_id", "deleted_at", "id", "purge_at", "size"]],
};

/** Indexes of the rows that are filtered most often, and of rare rows. */
const PARTIAL = [
  {
    name: "webhook_event__type",
    table: "webhook_event",
    columns: ["webhook_id", "type", "received_at", "seq"],
    where: "type is not null",
  },
  {
    name: "webhook_event__is_verified",
    table: "webhook_event",
    columns: ["webhook_id", "received_at", "seq"],
    where: "verified <> 'none'",
  },
  {
    name: "credential__live",
    table: "credential",
    columns: ["org_id", "created_at", "id"],
    where: "revoked_at is null",
  },
  {
    name: "credential__live_in_project",
    table: "credential",
    columns: ["project_id", "created_at", "id"],
    where: "revoked_at is null",
  },
  { name: "s3_key__live", table: "s3_key", columns: ["org_id", "id"], where: "revoked_at is null" },
  { name: "s3_key__live_in_project", table: "s3_key", columns: ["project_id", "id"], where: "revoked_at is null" },
  { name: "project__archived", table: "project", columns: ["org_id", "id"], where: "archived_at is not null" },
  { name: "project__open", table: "project", columns: ["org_id", "id"], where: "archived_at is null" },
] as const;

/** Old indexes that are a prefix of a new one, or were for a list whose order has changed. */
const SUPERSEDED = [
  "audit__org_id__at__index",
  ...AUDIT_COLUMNS.map((column) => `audit__org_id__${column}__seq__index`),
  "webhook__project_id__index",
  "credential__project_id__index",
  "credential_trust__org_id__created_at__index",
  "app__project_id__index",
  "saved_query__project_id__index",
  "alert__org_id__index",
  "trashed_file__project_id__index",
];
