import { sql } from "kysely";
import type { Tables } from "./schema.ts";
import type { Reader } from "./types.ts";

/** Tables whose rows a trial restore of a backup counts again. */
const COUNTED = [
  "organization",
  "project",
  "person",
  "credential",
  "file",
  "s3_object",
  "registry_manifest",
  "webhook_event",
  "audit",
  "telemetry_file",
] as const satisfies readonly (keyof Tables)[];

/** Counts the rows of the most important tables. Tables that an older version does not have are left out. */
export async function countRows(read: Reader): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of COUNTED) {
    const query = sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`;
    const found = await query.execute(read).catch(() => undefined);
    if (found !== undefined) counts[table] = Number(found.rows[0]?.n ?? 0);
  }
  return counts;
}
