import { sql, type Insertable } from "kysely";
import type { MemberRole, OrgRole } from "@mooring/contract";
import { deleteTrustsOf } from "#domain/identity/federation/index.ts";
import { withinReach, withOptionalProject, type OptionalProjectColumns, type Reach } from "#domain/projects/index.ts";
import type { ProjectGrant } from "#domain/identity/access/index.ts";
import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";
import { deleteFormer } from "./former/store.ts";
import { roleColumns, withGrants, type RoleColumns } from "./grants/store.ts";
import { KINDS, tableOf, TABLES, type AnyRow, type KindName, type Rows, type Table } from "./kinds.ts";

export type SecretRow = Tables["credential_secret"];

/**
 * The limits of a credential of any kind. One statement reads them with the credential, so both are from the same moment.
 */
interface BoundColumns extends OptionalProjectColumns, RoleColumns {
  org_slug: string;
  project_slug: string | null;
  token_lifetime_s: number;
  policy: string;
  state: string;
  state_reason: string | null;
  /** The role of the responsible person. Null: they have left since then, or a program is responsible. */
  responsible_role: MemberRole | null;
  /** Their role from before it was last lowered. */
  lowered_from: OrgRole | null;
  /** When their membership ends. Null: no end. */
  responsible_until: number | null;
  /** Their roles in the credential's project, by themselves and by groups. */
  responsible_grants: readonly ProjectGrant[];
  /** Null unless a person is responsible. */
  responsible_email: string | null;
  responsible_name: string | null;
  /** The ways in which the owner of a personal access token can sign in: apps, passkeys and identities at providers. */
  responsible_totp: number;
  responsible_passkeys: number;
  responsible_identities: number;
}

export type Context<T extends Table> = Rows[T] & BoundColumns;
/** A row of any table. */
export type AnyContext = AnyRow & BoundColumns;
export type CredentialContext = Context<"credential">;

/**
 * Returns the table under the type of `credential`, so that one statement serves every table. Such a statement may use
 * only the columns of `AnyRow`, and the public identifier.
 */
export function anyTable(table: Table): "credential" {
  return table as "credential";
}

function from(db: Reader, table: Table) {
  const credentials = db.selectFrom("credential as c");
  return table === "credential" ? credentials : (db.selectFrom("s3_key as c") as unknown as typeof credentials);
}

/** Finds a credential by its id or its public identifier. */
export async function findContext<T extends Table>(
  db: Reader,
  table: T,
  by: { readonly id: string } | { readonly publicId: string },
): Promise<Context<T> | undefined> {
  const [column, value] = "id" in by ? (["id", by.id] as const) : ([TABLES[table].publicId, by.publicId] as const);
  const query = contexts(db, table).where(`c.${column as "id"}`, "=", value);
  const [found] = await withGrants(db, await query.limit(1).execute());
  return found as Context<T> | undefined;
}

/** Finds the credentials of a page of a list. */
export async function contextsOf<T extends Table>(db: Reader, table: T, ids: readonly string[]): Promise<Context<T>[]> {
  if (ids.length === 0) return [];
  const query = contexts(db, table).where("c.id", "in", [...ids]);
  return (await withGrants(db, await query.execute())) as AnyContext[] as Context<T>[];
}

function contexts(db: Reader, table: Table) {
  return withOptionalProject(from(db, table), "c.project_id")
    .innerJoin("organization as o", "o.id", "c.org_id")
    .leftJoin("member as m", (join) =>
      join
        .onRef("m.org_id", "=", "c.org_id")
        .onRef("m.user_id", "=", "c.responsible")
        // Who left and came back gets nothing back.
        .onRef("m.created_at", "<=", "c.responsible_since"),
    )
    .leftJoin("project_member as pm", (join) =>
      join
        .onRef("pm.org_id", "=", "c.org_id")
        .onRef("pm.project_id", "=", "c.project_id")
        .onRef("pm.user_id", "=", "c.responsible"),
    )
    .leftJoin("person as responsible", "responsible.id", "c.responsible")
    .selectAll("c")
    .select([
      "responsible.email as responsible_email",
      "responsible.name as responsible_name",
      "o.slug as org_slug",
      "project.slug as project_slug",
      "o.token_lifetime_s",
      "o.policy",
      "o.state",
      "o.state_reason",
      "m.role as responsible_role",
      "m.lowered_from",
      "m.expires_at as responsible_until",
      "pm.role as own_role",
      "pm.expires_at as own_until",
    ])
    .select((row) => [
      ...roleColumns(),
      row
        .selectFrom("person_totp as t")
        .select(row.fn.countAll<number>().as("n"))
        .whereRef("t.user_id", "=", "c.responsible")
        .where("t.confirmed_at", "is not", null)
        .$asScalar()
        .$notNull()
        .as("responsible_totp"),
      row
        .selectFrom("passkey as k")
        .select(row.fn.countAll<number>().as("n"))
        .whereRef("k.user_id", "=", "c.responsible")
        .$asScalar()
        .$notNull()
        .as("responsible_passkeys"),
      row
        .selectFrom("external_identity as e")
        .select(row.fn.countAll<number>().as("n"))
        .whereRef("e.user_id", "=", "c.responsible")
        .$asScalar()
        .$notNull()
        .as("responsible_identities"),
    ]);
}

export async function credentialOfSecret(db: Reader, hash: string): Promise<string | undefined> {
  const row = await db
    .selectFrom("credential_secret")
    .select("credential_id")
    .where("hash", "=", hash)
    .executeTakeFirst();
  return row?.credential_id;
}

/**
 * Returns the secrets, newest first. Only the newest has no expiry, and a later expiry means a later creation. Two
 * secrets may have the same creation time.
 */
export async function secretsOf(db: Reader, credentialId: string): Promise<SecretRow[]> {
  const rows = await db.selectFrom("credential_secret").selectAll().where("credential_id", "=", credentialId).execute();
  const end = (row: SecretRow): number => row.expires_at ?? Number.MAX_SAFE_INTEGER;
  return rows.toSorted((a, b) => end(b) - end(a) || b.created_at - a.created_at);
}

export async function findOrganization(
  db: Reader,
  orgId: string,
): Promise<{ slug: string; policy: string; token_lifetime_s: number } | undefined> {
  return db
    .selectFrom("organization")
    .select(["slug", "policy", "token_lifetime_s"])
    .where("id", "=", orgId)
    .executeTakeFirst();
}

export interface ListFilter {
  readonly orgId: string;
  /** Null: the whole organization, including private projects. */
  readonly reach: Reach | null;
  readonly projectId: string | undefined;
  readonly includeRevoked: boolean;
  /** Absent: all kinds of the table. */
  readonly kind?: KindName | undefined;
  /** The values of the `order` columns in the last item of the previous page. */
  readonly after: readonly (string | number)[] | undefined;
  readonly limit: number;
}

/** Returns the ids within the reach, newest first. */
export async function listIds(
  db: Reader,
  table: Table,
  { orgId, reach, projectId, includeRevoked, kind, after, limit }: ListFilter,
): Promise<{ id: string; created_at: number }[]> {
  const columns = TABLES[table].order.map((column) => `c.${column}` as const);
  const place = sql.join(columns.map((column) => sql.ref(column)));
  const query = withOptionalProject(from(db, table), "c.project_id")
    .select(["c.id", "c.created_at"])
    .where("c.org_id", "=", orgId)
    .$if(reach !== null, (rows) => rows.where(withinReach(reach as Reach, "c.project_id")))
    .$if(projectId !== undefined, (rows) => rows.where("c.project_id", "=", projectId as string))
    // A literal, because a parameter would not find the partial index.
    .$if(kind !== undefined, (rows) => rows.where(sql<boolean>`c.kind = ${sql.lit(kind)}`))
    .$if(!includeRevoked, (rows) => rows.where("c.revoked_at", "is", null))
    .$if(after !== undefined, (rows) => rows.where(sql<boolean>`(${place}) < (${sql.join(after ?? [])})`));
  return columns.reduce((rows, column) => rows.orderBy(column, "desc"), query.limit(limit)).execute();
}

/** Counts the credentials that are neither revoked nor expired at that time, by their own expiry or the policy's. */
export async function countLive(
  db: Reader,
  table: Table,
  orgId: string,
  { atMs, lifetimeMsMax }: { readonly atMs: number; readonly lifetimeMsMax: number | null },
): Promise<number> {
  const row = await from(db, table)
    .select((eb) => eb.fn.countAll().as("count"))
    .where("org_id", "=", orgId)
    .where("revoked_at", "is", null)
    .where((eb) => eb.or([eb("expires_at", "is", null), eb("expires_at", ">", atMs)]))
    .$if(lifetimeMsMax !== null, (query) => query.where("created_at", ">", atMs - (lifetimeMsMax ?? 0)))
    .executeTakeFirst();
  return Number(row?.count ?? 0);
}

/** The most different lists of origins that the server reads. */
const ORIGIN_LISTS_MAX = 10_000;

/** Returns the origins of the ingest keys that are not revoked, by organization. */
export async function keyOrigins(db: Reader): Promise<{ orgId: string; origins: string[] }[]> {
  const rows = db.selectFrom("credential").select(["org_id", "origins"]).distinct();
  const named = rows.where("origins", "is not", null).where("revoked_at", "is", null).limit(ORIGIN_LISTS_MAX);
  return (await named.execute()).map(({ org_id: orgId, origins }) => ({ orgId, origins: origins?.split(" ") ?? [] }));
}

export async function insertRow<T extends Table>(tx: Writer, table: T, row: Rows[T]): Promise<void> {
  await tx
    .insertInto(anyTable(table))
    .values(row as Rows["credential"])
    .execute();
}

/** Replaces a hash by the hash of the same secret under another key. */
export async function replaceHash(
  tx: Writer,
  { id, hash }: Pick<SecretRow, "id" | "hash">,
  columns: Pick<SecretRow, "hash" | "hash_key">,
): Promise<void> {
  await tx.updateTable("credential_secret").set(columns).where("id", "=", id).where("hash", "=", hash).execute();
}

export async function insertSecret(tx: Writer, row: Insertable<Tables["credential_secret"]>): Promise<void> {
  await tx.insertInto("credential_secret").values(row).execute();
}

export type Change = Partial<
  Pick<Rows["s3_key"], "access_key" | "secret"> &
    Pick<
      AnyRow,
      | "name"
      | "scopes"
      | "allowed_addresses"
      | "pending"
      | "revoked_at"
      | "end_reason"
      | "responsible"
      | "responsible_since"
      | "inherited"
      | "resources"
      | "origins"
      | "rate"
    >
>;

/** `epoch`: the new epoch, if it has one. */
export async function updateRow(
  tx: Writer,
  id: string,
  { epoch, ...set }: Change & { readonly epoch?: number | undefined },
): Promise<void> {
  await tx
    .updateTable(anyTable(tableOf(id)))
    .set({ ...set, ...(epoch === undefined ? {} : { epoch }) })
    .where("id", "=", id)
    .execute();
}

/** Revokes a credential and deletes its trusts. */
export async function revokeRow(
  tx: Writer,
  id: string,
  {
    atMs,
    epoch,
    reason = null,
  }: {
    readonly atMs: number;
    readonly epoch: number | undefined;
    readonly reason?: string | null;
  },
): Promise<void> {
  await updateRow(tx, id, { revoked_at: atMs, epoch, end_reason: reason });
  if (tableOf(id) === "credential") await deleteTrustsOf(tx, id);
  else await deleteFormer(tx, id);
}

export async function expireSecret(tx: Writer, id: string, atMs: number): Promise<void> {
  await tx.updateTable("credential_secret").set({ expires_at: atMs }).where("id", "=", id).execute();
}

export async function deleteSecrets(tx: Writer, ids: readonly string[]): Promise<void> {
  if (ids.length > 0)
    await tx
      .deleteFrom("credential_secret")
      .where("id", "in", [...ids])
      .execute();
}

/**
 * Returns the ids of credentials of one kind that are not revoked: those for which one person or credential is
 * responsible, or those of a project.
 */
export async function liveIds(
  db: Reader,
  kind: KindName,
  of: { readonly orgId?: string; readonly responsible?: string; readonly projectId?: string },
): Promise<string[]> {
  const { table } = KINDS[kind];
  const { orgId, responsible, projectId } = of;
  const rows = await from(db, table)
    .select("id")
    .$if(orgId !== undefined, (query) => query.where("org_id", "=", orgId as string))
    .$if(responsible !== undefined, (query) => query.where("responsible", "=", responsible as string))
    .$if(projectId !== undefined, (query) => query.where("project_id", "=", projectId as string))
    .$call((query) => (kind === "s3" ? query : query.where("kind", "=", kind)))
    .where("revoked_at", "is", null)
    .orderBy("id")
    .execute();
  return rows.map(({ id }) => id);
}

/** Returns the project of a credential or an ingest key, revoked ones included. Undefined: there is none with this id. */
export async function placeOfCredential(db: Reader, orgId: string, id: string) {
  const query = db.selectFrom("credential").select("project_id as projectId").where("org_id", "=", orgId);
  return query.where("id", "=", id).executeTakeFirst();
}

/** Returns the ids of the credentials for which one of these is responsible, revoked ones included. */
export async function childIds(db: Reader, orgId: string, parents: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom("credential")
    .select("id")
    .where("org_id", "=", orgId)
    .where("responsible", "in", [...parents])
    .execute();
  return rows.map(({ id }) => id);
}

/** The longest way down; see `parents.ts`. */
const LEVELS_MAX = 8;

/** Returns the ids of all credentials and keys below a person or a credential that are not revoked. */
export async function liveIdsBelow(db: Reader, orgId: string, root: string): Promise<string[]> {
  const found = new Set<string>();
  let level = [root];
  for (let step = 0; step < LEVELS_MAX && level.length > 0; step++) {
    const next: string[] = [];
    for (const table of ["credential", "s3_key"] as const) {
      const rows = await from(db, table)
        .select("c.id")
        .where("c.org_id", "=", orgId)
        .where("c.responsible", "in", level)
        .where("c.revoked_at", "is", null)
        .execute();
      next.push(...rows.map(({ id }) => id).filter((id) => !found.has(id)));
    }
    for (const id of next) found.add(id);
    level = next.filter((id) => tableOf(id) === "credential");
  }
  return [...found].toSorted();
}

/** Returns when an actor becomes responsible: now, but not before they became a member, if the clock went back. */
export async function responsibleSince(db: Reader, orgId: string, responsible: string, nowMs: number): Promise<number> {
  const member = await db
    .selectFrom("member")
    .select("created_at")
    .where("org_id", "=", orgId)
    .where("user_id", "=", responsible)
    .executeTakeFirst();
  return Math.max(nowMs, member?.created_at ?? 0);
}

/** Returns the last time at which this person became responsible for a credential or key; 0: never. */
export async function lastResponsibleSince(db: Reader, orgId: string, userId: string): Promise<number> {
  const times = [0];
  for (const table of ["credential", "s3_key"] as const) {
    const row = await from(db, table)
      .select((eb) => eb.fn.max("c.responsible_since").as("at"))
      .where("c.org_id", "=", orgId)
      .where("c.responsible", "=", userId)
      .executeTakeFirst();
    times.push(Number(row?.at ?? 0));
  }
  return Math.max(...times);
}
