import { sql } from "kysely";
import type { Reader } from "#stores/metadata/index.ts";

/** Every organization of the instance, by slug; for the operator's own commands. */
export async function listOrganizations(db: Reader): Promise<{ id: string; slug: string }[]> {
  return db.selectFrom("organization").select(["id", "slug"]).orderBy("slug").execute();
}

/** Time of the newest audit entry; 0 when there is none. */
export async function latestRecordMs(db: Reader): Promise<number> {
  const row = await db
    .selectFrom("audit")
    .select(({ fn }) => fn.max("at").as("at"))
    .executeTakeFirst();
  return Number(row?.at ?? 0);
}

/** The clock of a database server. */
export async function databaseNowMs(db: Reader): Promise<number> {
  const { rows } = await sql<{
    now: number;
  }>`SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now`.execute(db);
  return Number(rows[0]?.now ?? 0);
}
