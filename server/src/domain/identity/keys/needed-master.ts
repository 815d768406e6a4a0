import type { Reader } from "#stores/metadata/index.ts";
import { derivingMasterId } from "./envelope.ts";
import { signingKeyRows } from "./store.ts";

/** Returns the id of the master key that the records' values were derived from before keys were stored. */
export async function derivedMasterId(db: Reader): Promise<string | undefined> {
  const sealed = (await signingKeyRows(db)).at(-1);
  return sealed === undefined ? undefined : derivingMasterId(sealed.private_key);
}

/** Returns the id of the master key that opens the records, also of an older version. Undefined: nothing is sealed yet. */
export async function masterKeyIdOf(db: Reader): Promise<string | undefined> {
  const migrated = await db
    .selectFrom("migration")
    .select("name")
    .where("name", "=", "0056-key-ring")
    .executeTakeFirst();
  if (migrated === undefined) return derivedMasterId(db);
  const row = await db.selectFrom("key").select("master_id").limit(1).executeTakeFirst();
  return row?.master_id ?? derivedMasterId(db);
}
