import type { Reader, Writer } from "#stores/metadata/index.ts";
import type { ManifestFile } from "../manifest.ts";

const ROWS_PER_STATEMENT = 100;

/** Returns the directories that have, or had, rows of the organization. */
export async function directoriesOf(db: Reader, orgId: string): Promise<string[]> {
  const held = await db.selectFrom("telemetry_holding").select("store_id").where("org_id", "=", orgId).execute();
  const files = await db
    .selectFrom("telemetry_file")
    .select("store_id")
    .distinct()
    .where("org_id", "=", orgId)
    .where("dropped_at", "is", null)
    .execute();
  return [...new Set([...held, ...files].map((row) => row.store_id))];
}

export async function filesOf(db: Reader, storeId: string, orgId: string): Promise<ManifestFile[]> {
  const rows = await db
    .selectFrom("telemetry_file")
    .selectAll()
    .where("store_id", "=", storeId)
    .where("org_id", "=", orgId)
    .where("dropped_at", "is", null)
    .orderBy("id")
    .execute();
  return rows.map(({ store_id: _store, dropped_at: _dropped, ...file }) => file);
}

/** Returns the last batch in Parquet, by type. */
export async function progressOf(db: Reader, storeId: string, orgId: string): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom("telemetry_progress")
    .select(["type", "compacted_seq"])
    .where("store_id", "=", storeId)
    .where("org_id", "=", orgId)
    .execute();
  return new Map(rows.map((row) => [row.type, row.compacted_seq]));
}

/** Records files that are in their place. From this commit on they are the organization's telemetry. */
export async function insertFiles(tx: Writer, storeId: string, files: readonly ManifestFile[]): Promise<void> {
  for (const org_id of new Set(files.map((file) => file.org_id)))
    await tx
      .insertInto("telemetry_holding")
      .values({ store_id: storeId, org_id })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  for (const file of new Map(files.map((each) => [`${each.org_id} ${each.type}`, each])).values())
    await tx
      .insertInto("telemetry_progress")
      .values({ store_id: storeId, org_id: file.org_id, type: file.type, compacted_seq: 0 })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  for (let at = 0; at < files.length; at += ROWS_PER_STATEMENT) {
    const rows = files.slice(at, at + ROWS_PER_STATEMENT);
    await tx
      .insertInto("telemetry_file")
      .values(rows.map((file) => ({ ...file, store_id: storeId, dropped_at: null })))
      .execute();
  }
}
