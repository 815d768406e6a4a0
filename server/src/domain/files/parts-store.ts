import type { ObjectStore } from "#stores/objects/index.ts";
import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";
import { deleteGrant, type GrantRow } from "./store.ts";

export type PartRow = Tables["upload_part"];

/** Returns the parts in order. */
export async function partsOf(db: Reader, grantId: string): Promise<PartRow[]> {
  return db.selectFrom("upload_part").selectAll().where("grant_id", "=", grantId).orderBy("start").execute();
}

/** Returns the number of received bytes. */
export async function receivedOf(db: Reader, grantId: string): Promise<number> {
  const last = await db
    .selectFrom("upload_part")
    .select(["start", "size"])
    .where("grant_id", "=", grantId)
    .orderBy("start", "desc")
    .limit(1)
    .executeTakeFirst();
  return last === undefined ? 0 : last.start + last.size;
}

export async function insertPart(tx: Writer, row: PartRow): Promise<void> {
  await tx.insertInto("upload_part").values(row).execute();
}

/** Sets the expiry. Returns false if the grant does not exist any more. */
export async function setExpiry(tx: Writer, grantId: string, expiresAt: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("upload_grant")
    .set({ expires_at: expiresAt })
    .where("id", "=", grantId)
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows) === 1;
}

/** Unlinks the received parts of an upload. */
export async function dropParts(tx: Writer, objects: Pick<ObjectStore, "unlink">, grantId: string): Promise<void> {
  const parts = await tx
    .deleteFrom("upload_part")
    .where("grant_id", "=", grantId)
    .returning(["org_id", "blob_id"])
    .execute();
  const [first] = parts;
  if (first === undefined) return;
  await objects.unlink(
    tx,
    first.org_id,
    parts.map((part) => part.blob_id),
  );
}

/** Deletes a grant with its received parts. */
export async function dropGrant(
  tx: Writer,
  objects: Pick<ObjectStore, "unlink">,
  orgId: string,
  id: string,
): Promise<GrantRow | undefined> {
  const grant = await tx
    .selectFrom("upload_grant")
    .select("id")
    .where("org_id", "=", orgId)
    .where("id", "=", id)
    .executeTakeFirst();
  if (grant === undefined) return undefined;
  await dropParts(tx, objects, id);
  return deleteGrant(tx, orgId, id);
}
