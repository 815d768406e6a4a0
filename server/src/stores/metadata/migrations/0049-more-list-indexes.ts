import { sql } from "kysely";
import type { MetadataStore, Writer } from "../types.ts";

/**
 * Adds indexes for the lists of S3, the registry, people and the operator, each in the order of its list (see 0037).
 */
export async function moreListIndexes(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  // The slug of an app never changes, so the catalog is one range of an index: repositories with a push, by name.
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  await tx.schema
    .alterTable("registry_repository")
    .addColumn("slug", text, (column) => column.notNull().defaultTo(""))
    .execute();
  await sql`update registry_repository set slug = (select a.slug from app as a where a.id = registry_repository.id)`.execute(
    tx,
  );
  for (const { name, table, columns, where } of INDEXES) {
    await sql`create index ${sql.ref(name)} on ${sql.table(table)} (${sql.join(columns.map((column) => sql.ref(column)))})
      ${where === undefined ? sql`` : sql`where ${sql.raw(where)}`}`.execute(tx);
  }
}

interface Index {
  readonly name: string;
  readonly table: string;
  readonly columns: readonly string[];
  /** The condition for rows that the list shows. */
  readonly where?: string;
}

const INDEXES: readonly Index[] = [
  { name: "app__slug_in_project", table: "app", columns: ["project_id", "slug"] },
  {
    name: "registry_manifest__referrers",
    table: "registry_manifest",
    columns: ["repository", "subject", "artifact_type", "digest"],
  },
  {
    name: "registry_repository__pushed",
    table: "registry_repository",
    columns: ["org_id", "slug"],
    where: "last_push_at is not null",
  },
  { name: "s3_upload__open", table: "s3_upload", columns: ["bucket", "key", "id"], where: "completed_at is null" },
  {
    name: "credential__live_by_creator",
    table: "credential",
    columns: ["created_by", "kind", "id"],
    where: "revoked_at is null",
  },
  {
    name: "person__unverified",
    table: "person",
    columns: ["email"],
    where: "verified_at is null and (password_hash is not null or last_seen_at is not null)",
  },
];
