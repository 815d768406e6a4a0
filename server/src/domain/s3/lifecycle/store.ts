import type { Cutoff } from "#kernel/deletions.ts";
import type { Reader } from "#stores/metadata/index.ts";
import type { KeyRange } from "../listings/range.ts";

export interface LifecycleRow {
  readonly key: Uint8Array;
  readonly seq: number;
  readonly version_id: string;
  readonly size: number;
  readonly tags: string;
  readonly modified_at: number;
  readonly blob_id: string | null;
}

const COLUMNS = ["key", "seq", "version_id", "size", "tags", "modified_at", "blob_id"] as const;

/** Reads current objects that were written at or before a time, in the order of their keys. */
export async function objectsBefore(
  db: Reader,
  bucket: string,
  { start, end }: KeyRange,
  page: { readonly beforeMs: Cutoff; readonly limit: number },
): Promise<LifecycleRow[]> {
  return db
    .selectFrom("s3_object")
    .select([...COLUMNS])
    .where("bucket", "=", bucket)
    .where("key", ">=", start)
    .$if(end !== null, (query) => query.where("key", "<", end ?? start))
    .where("modified_at", "<=", page.beforeMs)
    .orderBy("key")
    .limit(page.limit)
    .execute();
}

/** Reads keys that have earlier versions. */
export async function keysWithHistory(
  db: Reader,
  bucket: string,
  { start, end }: KeyRange,
  limit: number,
): Promise<Uint8Array[]> {
  const rows = await db
    .selectFrom("s3_history")
    .select("key")
    .distinct()
    .where("bucket", "=", bucket)
    .where("key", ">=", start)
    .$if(end !== null, (query) => query.where("key", "<", end ?? start))
    .orderBy("key")
    .limit(limit)
    .execute();
  return rows.map(({ key }) => key);
}

/** Reads all versions of these keys. For each key, the newest is first. */
export async function versionsOfKeys(db: Reader, bucket: string, keys: readonly Uint8Array[]): Promise<LifecycleRow[]> {
  const side = (table: "s3_object" | "s3_history") =>
    db
      .selectFrom(table)
      .select([...COLUMNS])
      .where("bucket", "=", bucket)
      .where("key", "in", [...keys]);
  return side("s3_object").unionAll(side("s3_history")).orderBy("key").orderBy("seq").execute();
}

/** Reads open uploads that began before a time. */
export async function uploadsBefore(
  db: Reader,
  bucket: string,
  { start, end }: KeyRange,
  beforeMs: Cutoff,
): Promise<{ id: string }[]> {
  return db
    .selectFrom("s3_upload")
    .select("id")
    .where("bucket", "=", bucket)
    .where("completed_at", "is", null)
    .where("key", ">=", start)
    .$if(end !== null, (query) => query.where("key", "<", end ?? start))
    .where("created_at", "<=", beforeMs)
    .execute();
}
