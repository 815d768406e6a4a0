import { sql } from "kysely";
import type { MetadataStore, Writer } from "../types.ts";
import { tableMaker, type TableDefinition } from "./tables.ts";

/** Creates the tables of sign-in methods and sessions. `schema-people.ts` says what the columns mean. */
export async function people(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  await tx.schema
    .alterTable("person")
    .addColumn("instance_admin", dialect === "sqlite" ? "integer" : "bigint", (column) => column.notNull().defaultTo(0))
    .execute();
  await tx.schema
    .alterTable("person")
    .addColumn("last_seen_at", dialect === "sqlite" ? "integer" : "bigint")
    .execute();
  await nameTheFirstOwner(tx);
  const create = tableMaker(tx, dialect);
  for (const [name, definition] of Object.entries(TABLES)) await create(name, definition);
}

/** Makes the first owner of the first organization the operator. */
async function nameTheFirstOwner(tx: Writer): Promise<void> {
  await sql`
    update person set instance_admin = 1
    where id = (
      select user_id from member
      where role = 'owner' and org_id = (select id from organization order by created_at, id limit 1)
      order by created_at, user_id limit 1
    )`.execute(tx);
}

const TABLES: Readonly<Record<string, TableDefinition>> = {
  browser_session: {
    columns: {
      id: "text",
      user_id: "text",
      secret_hash: "text",
      method: "text",
      created_at: "integer",
      confirmed_at: "integer",
      last_seen_at: "integer",
      expires_at: "integer",
      ip: "text?",
      user_agent: "text?",
    },
    primaryKey: ["id"],
    unique: [["secret_hash"]],
    indexes: [["user_id"], ["expires_at"]],
    references: { user_id: "person" },
  },
  sign_in_attempt: {
    columns: {
      ticket_hash: "text",
      kind: "text",
      user_id: "text?",
      data: "text",
      tries: "integer",
      created_at: "integer",
      expires_at: "integer",
    },
    primaryKey: ["ticket_hash"],
    indexes: [["expires_at"]],
  },
  person_totp: {
    columns: {
      user_id: "text",
      secret: "bytes",
      created_at: "integer",
      confirmed_at: "integer?",
      last_step: "integer",
    },
    primaryKey: ["user_id"],
    references: { user_id: "person" },
  },
  recovery_code: {
    columns: { user_id: "text", code_hash: "text", created_at: "integer" },
    primaryKey: ["user_id", "code_hash"],
    references: { user_id: "person" },
  },
  passkey: {
    columns: {
      id: "text",
      user_id: "text",
      credential_id: "text",
      public_key: "bytes",
      counter: "integer",
      transports: "text",
      synced: "integer",
      rp_id: "text",
      name: "text",
      created_at: "integer",
      last_used_at: "integer?",
    },
    primaryKey: ["id"],
    unique: [["credential_id"]],
    indexes: [["user_id"]],
    references: { user_id: "person" },
  },
  external_identity: {
    columns: { issuer: "text", subject: "text", user_id: "text", created_at: "integer", last_used_at: "integer" },
    primaryKey: ["issuer", "subject"],
    indexes: [["user_id"]],
    references: { user_id: "person" },
  },
};
