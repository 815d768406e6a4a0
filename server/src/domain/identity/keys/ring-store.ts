import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";

export type KeyRow = Tables["key"];
export type KeyState = KeyRow["state"];

export async function keyRows(db: Reader): Promise<KeyRow[]> {
  return db.selectFrom("key").selectAll().orderBy("made_at", "desc").orderBy("id").execute();
}

export async function insertKeys(tx: Writer, rows: readonly KeyRow[]): Promise<void> {
  if (rows.length > 0)
    await tx
      .insertInto("key")
      .values([...rows])
      .execute();
}

export type RotationRow = Tables["key_rotation"];

export async function rotationRow(db: Reader): Promise<RotationRow | undefined> {
  return db.selectFrom("key_rotation").selectAll().executeTakeFirst();
}

export async function insertRotation(tx: Writer, row: RotationRow): Promise<void> {
  await tx.insertInto("key_rotation").values(row).execute();
}

/** Moves the rotation to its next step. Returns false if another process has finished or replaced it. */
export async function setRotation(
  tx: Writer,
  { nonce, step }: Pick<RotationRow, "nonce" | "step">,
  set: Partial<Pick<RotationRow, "step" | "leaked">>,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("key_rotation")
    .set(set)
    .where("nonce", "=", nonce)
    .where("step", "=", step)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Returns false if another process has finished or replaced it. */
export async function deleteRotation(tx: Writer, nonce: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom("key_rotation").where("nonce", "=", nonce).executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function setKey(
  tx: Writer,
  id: string,
  set: Partial<Pick<KeyRow, "state" | "retire_at" | "master_id" | "wrapped">>,
): Promise<void> {
  await tx.updateTable("key").set(set).where("id", "=", id).execute();
}

/** The table of the hashes of each purpose whose hashes are renewed. */
const HASH_TABLES = {
  "client-secret": "credential_secret",
  "webhook-token": "webhook_url",
  "recovery-code": "recovery_code",
} as const;

/** Counts the rows whose hash needs this lookup key. */
export async function countHashes(
  db: Reader,
  { id, purpose, derived_from: derivedFrom }: Pick<KeyRow, "id" | "purpose" | "derived_from">,
): Promise<number> {
  const table = (HASH_TABLES as Readonly<Record<string, (typeof HASH_TABLES)[keyof typeof HASH_TABLES]>>)[purpose];
  if (table === undefined) return 0;
  const row = await db
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number>().as("n"))
    .where((eb) => eb.or([eb("hash_key", "=", id), ...(derivedFrom === null ? [] : [eb("hash_key", "is", null)])]))
    .executeTakeFirstOrThrow();
  return Number(row.n);
}

export interface NodeKeys {
  readonly id: string;
  readonly appliedSeq: number;
  readonly masterIds: readonly string[];
  readonly ring: string | null;
}

/** The keys of each node that was seen since then. */
export async function nodeKeys(db: Reader, seenSinceMs: number): Promise<NodeKeys[]> {
  const rows = await db
    .selectFrom("node")
    .select(["id", "applied_seq", "master_ids", "key_ring"])
    .where("seen_at", ">=", seenSinceMs)
    .orderBy("id")
    .execute();
  return rows.map((row) => ({
    id: row.id,
    appliedSeq: row.applied_seq,
    masterIds: (row.master_ids ?? "").split(" ").filter((id) => id !== ""),
    ring: row.key_ring,
  }));
}
