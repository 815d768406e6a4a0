import { sql } from "kysely";
import type { MetadataStore, Writer } from "../types.ts";
import { tableMaker } from "./tables.ts";

/** Adds verified addresses, one-time account links, one identity per provider, and the end of the set-up. */
export async function accounts(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  await addColumns(tx, dialect);
  await createLinks(tx, dialect);
  await verifyKnown(tx);
  await keepFirstIdentities(tx);
  await endOpenClaims(tx);
}

async function addColumns(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  const integer = dialect === "postgres" ? sql`bigint` : sql`integer`;
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  await tx.schema.alterTable("person").addColumn("verified_at", integer).execute();
  await tx.schema.alterTable("invitation").addColumn("mailed_token_hash", text).execute();
  await tx.schema
    .alterTable("setup_link")
    .addColumn("by_start", integer, (column) => column.notNull().defaultTo(0))
    .execute();
  await tx.schema
    .alterTable("browser_session")
    .addColumn("second_factor", integer, (column) => column.notNull().defaultTo(0))
    .execute();
  await tx.schema.alterTable("browser_session").addColumn("ended", text).execute();
  await sql`update browser_session set second_factor = 1
    where method in ('password_totp', 'recovery_code', 'passkey', 'oidc')`.execute(tx);
  await tx.schema
    .createIndex("invitation_mailed_token_hash__index")
    .on("invitation")
    .column("mailed_token_hash")
    .execute();
}

async function createLinks(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  await tableMaker(tx, dialect)("account_link", {
    columns: {
      id: "text",
      user_id: "text",
      email: "text",
      token_hash: "text",
      sent_by: "text",
      clears_second_factor: "integer",
      created_at: "integer",
      expires_at: "integer",
      used_at: "integer?",
    },
    primaryKey: ["id"],
    unique: [["token_hash"]],
    indexes: [["user_id"]],
    references: { user_id: "person" },
  });
}

/**
 * Marks addresses as verified: of people who used a set-up link, and of people without a password, because their
 * provider verified the address. An account with a password and an identity may belong to two people, so it is verified
 * when its person next signs in through the provider.
 */
async function verifyKnown(tx: Writer): Promise<void> {
  await sql`update person set verified_at = (select min(used_at) from setup_link where user_id = person.id and used_at is not null)
    where exists (select 1 from setup_link where user_id = person.id and used_at is not null)`.execute(tx);
  await sql`update person set verified_at = (select min(created_at) from external_identity where user_id = person.id)
    where password_hash is null and exists (select 1 from external_identity where user_id = person.id)`.execute(tx);
}

/** Keeps the identity of each person that was linked first. A later one may belong to the next owner of the mailbox. */
async function keepFirstIdentities(tx: Writer): Promise<void> {
  await sql`delete from browser_session where method = 'oidc' and user_id in (
    select user_id from external_identity group by issuer, user_id having count(*) > 1)`.execute(tx);
  await sql`delete from external_identity where exists (
    select 1 from external_identity as first
    where first.issuer = external_identity.issuer and first.user_id = external_identity.user_id
      and (first.created_at < external_identity.created_at
        or (first.created_at = external_identity.created_at and first.subject < external_identity.subject)))`.execute(
    tx,
  );
  await tx.schema
    .createIndex("external_identity_issuer_user_id__key")
    .unique()
    .on("external_identity")
    .columns(["issuer", "user_id"])
    .execute();
}

/** Deletes open claims to be the operator if there is an operator. */
async function endOpenClaims(tx: Writer): Promise<void> {
  await sql`update person set instance_admin = 0
    where instance_admin = 1 and password_hash is null and last_seen_at is null and exists (
      select 1 from person as operator
      where operator.instance_admin = 1 and (operator.password_hash is not null or operator.last_seen_at is not null))`.execute(
    tx,
  );
}
