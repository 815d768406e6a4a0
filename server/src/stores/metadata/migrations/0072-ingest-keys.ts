import { sql } from "kysely";
import type { MetadataStore, Writer } from "../types.ts";
import { TYPES } from "./tables.ts";

/** Adds the limits of ingest keys, and indexes in the order of their list (see 0037). */
export async function ingestKeys(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  await tx.schema.alterTable("credential").addColumn("origins", TYPES[dialect].text).execute();
  await tx.schema.alterTable("credential").addColumn("rate", TYPES[dialect].integer).execute();
  for (const [name, owner, live] of INDEXES)
    await sql
      .raw(`create index ${name} on credential (${owner}, created_at, id) where kind = 'ingest'${live}`)
      .execute(tx);
  await sql
    .raw("create index credential__origins on credential (id) where origins is not null and revoked_at is null")
    .execute(tx);
}

const LIVE = " and revoked_at is null";

const INDEXES = [
  ["credential__ingest", "org_id", ""],
  ["credential__ingest_live", "org_id", LIVE],
  ["credential__ingest_in_project", "project_id", ""],
  ["credential__ingest_live_in_project", "project_id", LIVE],
] as const;
