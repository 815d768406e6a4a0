import { sql } from "kysely";
import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";

export type OperatorToken = Tables["operator_token"];

export interface Operator {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly last_seen_at: number | null;
  /** Null: the account is not set up yet. Its first sign-in makes the person an operator, unless somebody is faster. */
  readonly password_hash: string | null;
}

/** Returns the operators, and the people who may become the first one, in the order of their ids. */
export async function operatorsOf(db: Reader): Promise<Operator[]> {
  return db
    .selectFrom("person")
    .select(["id", "email", "name", "last_seen_at", "password_hash"])
    .where(sql<boolean>`instance_admin = 1`) // a literal, as in the condition of the index
    .orderBy("id")
    .limit(OPERATORS_MAX)
    .execute();
}

/** Nobody names so many operators. */
const OPERATORS_MAX = 1000;

export async function isOperator(db: Reader, userId: string): Promise<boolean> {
  const row = await db.selectFrom("person").select("instance_admin").where("id", "=", userId).executeTakeFirst();
  return row?.instance_admin === 1;
}

export async function insertToken(tx: Writer, row: OperatorToken): Promise<void> {
  await tx.insertInto("operator_token").values(row).execute();
}

export async function tokenByHash(db: Reader, hash: string): Promise<OperatorToken | undefined> {
  return db.selectFrom("operator_token").selectAll().where("hash", "=", hash).executeTakeFirst();
}

export async function touchToken(tx: Writer, id: string, atMs: number): Promise<void> {
  await tx.updateTable("operator_token").set({ last_used_at: atMs }).where("id", "=", id).execute();
}

/** Returns the tokens, newest first. */
export async function tokenRows(db: Reader): Promise<OperatorToken[]> {
  return db.selectFrom("operator_token").selectAll().orderBy("id", "desc").limit(OPERATOR_TOKENS_MAX).execute();
}

export const OPERATOR_TOKENS_MAX = 100;

export async function deleteToken(tx: Writer, id: string): Promise<OperatorToken | undefined> {
  return tx.deleteFrom("operator_token").where("id", "=", id).returningAll().executeTakeFirst();
}

/** Deletes the tokens that a person created. Returns their ids. */
export async function deleteTokensOf(tx: Writer, userId: string): Promise<string[]> {
  const rows = await tx.deleteFrom("operator_token").where("created_by", "=", userId).returning("id").execute();
  return rows.map(({ id }) => id);
}

/** Reserves a slug for its former organization, and frees the one that it takes back. */
export async function retireSlug(tx: Writer, former: Tables["former_slug"], present: string): Promise<void> {
  await tx.deleteFrom("former_slug").where("slug", "=", present).execute();
  await tx.insertInto("former_slug").values(former).execute();
}

export async function nameOrganization(
  tx: Writer,
  { id, slug, name }: Pick<Tables["organization"], "id" | "slug" | "name">,
): Promise<void> {
  await tx.updateTable("organization").set({ slug, name }).where("id", "=", id).execute();
}
