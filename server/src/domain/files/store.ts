import type { ExpressionBuilder } from "kysely";
import { withOptionalProject, type OptionalProjectColumns } from "#domain/projects/index.ts";
import { addUsage, type Usage } from "#domain/quotas/index.ts";
import type { Cutoff } from "#kernel/deletions.ts";
import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";
import { addName, removeName } from "./name-counts.ts";

export type FileRow = Tables["file"];
export type GrantRow = Tables["upload_grant"];

export type StoredFile = FileRow & OptionalProjectColumns;
export type Grant = GrantRow & OptionalProjectColumns;

/** Finds a file in any organization. The caller has a signed URL, or checks the organization itself. */
export async function fileById(db: Reader, id: string): Promise<StoredFile | undefined> {
  return withOptionalProject(db.selectFrom("file").selectAll("file"), "file.project_id")
    .where("file.id", "=", id)
    .executeTakeFirst();
}

/** Returns the bytes that the unfinished uploads of all organizations have reserved, and whose URL is valid or in use. */
export async function grantedBytes(db: Reader, nowMs: number): Promise<number> {
  const row = await db
    .selectFrom("upload_grant")
    .select((eb) => eb.fn.sum<number | string>("reserved").as("bytes"))
    .where((eb) => eb.or([eb("expires_at", ">=", nowMs), eb("claimed_until", ">=", nowMs)]))
    .executeTakeFirst();
  return Number(row?.bytes ?? 0);
}

/** Finds a grant in any organization, under the same condition. */
export async function grantById(db: Reader, id: string): Promise<Grant | undefined> {
  return withOptionalProject(db.selectFrom("upload_grant").selectAll("upload_grant"), "upload_grant.project_id")
    .where("upload_grant.id", "=", id)
    .executeTakeFirst();
}

export function insertGrant(tx: Writer, row: GrantRow): void {
  tx.defer(tx.insertInto("upload_grant").values(row));
}

/** Sets or renews a claim. Returns false if another upload has it, or if the grant was deleted. */
export async function setClaim(
  tx: Writer,
  id: string,
  claim: { readonly name: string; readonly nowMs: number; readonly untilMs: number },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("upload_grant")
    .set({ claim: claim.name, claimed_until: claim.untilMs })
    .where("id", "=", id)
    .where((eb) =>
      eb.or([eb("claim", "is", null), eb("claim", "=", claim.name), eb("claimed_until", "<", claim.nowMs)]),
    )
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows) === 1;
}

export async function clearClaim(tx: Writer, id: string, name: string): Promise<void> {
  await tx
    .updateTable("upload_grant")
    .set({ claim: null, claimed_until: null })
    .where("id", "=", id)
    .where("claim", "=", name)
    .execute();
}

/** Deletes a grant. Returns undefined if an upload other than `claim` uses it, or if it was already deleted. */
export async function takeGrant(
  tx: Writer,
  id: string,
  upload: { readonly claim: string; readonly nowMs: number; lost: () => Error },
): Promise<GrantRow | undefined> {
  const isFree = (eb: ExpressionBuilder<Tables, "upload_grant">) =>
    eb.or([eb("claim", "is", null), eb("claim", "=", upload.claim), eb("claimed_until", "<", upload.nowMs)]);
  const [grant] = await tx.readAhead(tx.selectFrom("upload_grant").selectAll().where("id", "=", id).where(isFree));
  const taken = tx.deleteFrom("upload_grant").where("id", "=", id).where(isFree);
  if (grant !== undefined) tx.defer(taken, { changes: 1, orElse: upload.lost });
  return grant;
}

export async function deleteGrant(tx: Writer, orgId: string, id: string): Promise<GrantRow | undefined> {
  return tx
    .deleteFrom("upload_grant")
    .where("org_id", "=", orgId)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
}

/** Returns expired grants that no upload uses. */
export async function expiredGrants(db: Reader, before: Cutoff, limit: number): Promise<GrantRow[]> {
  return db
    .selectFrom("upload_grant")
    .selectAll()
    .where("expires_at", "<", before)
    .where((eb) => eb.or([eb("claimed_until", "is", null), eb("claimed_until", "<", before)]))
    .orderBy("expires_at")
    .limit(limit)
    .execute();
}

/** Whether the grant is still expired. An upload may have continued since it was found. */
export async function isExpired(db: Reader, id: string, before: number): Promise<boolean> {
  const query = db
    .selectFrom("upload_grant")
    .select("id")
    .where("id", "=", id)
    .where("expires_at", "<", before)
    .where((eb) => eb.or([eb("claimed_until", "is", null), eb("claimed_until", "<", before)]));
  return (await query.executeTakeFirst()) !== undefined;
}

export function insertFile(tx: Writer, row: FileRow): void {
  tx.defer(tx.insertInto("file").values(row));
  addName(tx, row);
}

export async function deleteFileRow(tx: Writer, orgId: string, id: string): Promise<FileRow | undefined> {
  const query = tx.deleteFrom("file").where("org_id", "=", orgId).where("id", "=", id).returningAll();
  const file = await query.executeTakeFirst();
  if (file !== undefined) removeName(tx, file);
  return file;
}

/** Adds a change to the counters of a project's files, or of the organization's own files. */
export function countUsage(
  tx: Writer,
  { org_id, project_id }: Pick<FileRow, "org_id" | "project_id">,
  change: Partial<Usage<"files">>,
): void {
  addUsage(tx, "files", { org_id, place: project_id ?? "" }, change);
}

/**
 * Returns a file's name. Or returns an equal expression that no index has, so that the database uses the index by time.
 */
export function nameOf(eb: ExpressionBuilder<Tables, "file">, isExpression: boolean) {
  return isExpression ? eb.fn.coalesce("filename", eb.val("")) : eb.ref("filename");
}

/** Returns the bytes that these grants reserve and that have not arrived yet. */
export async function grantsOpen(
  db: Reader,
  ids: readonly string[],
): Promise<{ readonly id: string; readonly open: number }[]> {
  const rows = await db
    .selectFrom("upload_grant")
    .leftJoin("upload_part", "upload_part.grant_id", "upload_grant.id")
    .select((eb) => ["upload_grant.id", "upload_grant.reserved", eb.fn.sum<number>("upload_part.size").as("received")])
    .where("upload_grant.id", "in", ids)
    .groupBy(["upload_grant.id", "upload_grant.reserved"])
    .execute();
  return rows.map(({ id, reserved, received }) => ({ id, open: reserved - Number(received ?? 0) }));
}

export async function putTrashDays(
  tx: Writer,
  row: Pick<Tables["file_policy"], "org_id" | "trash_days" | "updated_at">,
): Promise<void> {
  const { org_id: _orgId, ...change } = row;
  await tx
    .insertInto("file_policy")
    .values(row)
    .onConflict((on) => on.column("org_id").doUpdateSet(change))
    .execute();
}

/** Returns the files of an organization after this one, by time. */
export async function filesAfter(
  db: Reader,
  orgId: string,
  after: Pick<FileRow, "created_at" | "id"> | undefined,
  limit: number,
): Promise<FileRow[]> {
  const { created_at: at = 0, id = "" } = after ?? {};
  return db
    .selectFrom("file")
    .selectAll()
    .where("org_id", "=", orgId)
    .where("created_at", ">=", at)
    .where((eb) => eb.or([eb("created_at", ">", at), eb("id", ">", id)]))
    .orderBy("created_at")
    .orderBy("id")
    .limit(limit)
    .execute();
}

/** Returns the newest file. */
export async function newestFile(db: Reader, orgId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom("file")
    .select("id")
    .where("org_id", "=", orgId)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}
