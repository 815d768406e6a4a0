import { sql } from "kysely";
import type { Reader } from "#stores/metadata/index.ts";

/** Lists every organization by slug, for the operator's commands. */
export async function listOrganizations(db: Reader): Promise<{ id: string; slug: string }[]> {
  return db.selectFrom("organization").select(["id", "slug"]).orderBy("slug").execute();
}

/** Finds a member by e-mail address in lower case. */
export async function memberByEmail(
  db: Reader,
  org: string,
  email: string,
): Promise<{ orgId: string; userId: string } | undefined> {
  return db
    .selectFrom("member")
    .innerJoin("organization", "organization.id", "member.org_id")
    .innerJoin("person", "person.id", "member.user_id")
    .select(["member.org_id as orgId", "member.user_id as userId"])
    .where("organization.slug", "=", org)
    .where("person.email", "=", email)
    .executeTakeFirst();
}

/**
 * Returns the bytes of Parquet by organization and telemetry directory, with the operator's quota; null: the default.
 */
export async function storedTelemetry(
  db: Reader,
): Promise<{ organization: string; bytes: number; bytesMax: number | null }[]> {
  const rows = await db
    .selectFrom("telemetry_file as file")
    .innerJoin("organization", "organization.id", "file.org_id")
    .leftJoin("telemetry_policy as policy", "policy.org_id", "file.org_id")
    .select(["organization.slug as organization", "policy.stored_bytes_max as bytesMax"])
    .select(({ fn }) => fn.sum("file.bytes").as("bytes"))
    .where("file.dropped_at", "is", null)
    .groupBy(["organization.slug", "policy.stored_bytes_max", "file.store_id"])
    .orderBy("organization.slug")
    .execute();
  return rows.map((row) => ({ ...row, bytes: Number(row.bytes) }));
}

/** Returns the unfinished parts of erasures that were created before a time. */
export async function lateErasures(
  db: Reader,
  beforeMs: number,
): Promise<{ id: string; storeId: string; state: string }[]> {
  return db
    .selectFrom("telemetry_erasure_part as part")
    .innerJoin("telemetry_erasure as erasure", "erasure.id", "part.erasure_id")
    .select(["erasure.id", "part.store_id as storeId", "part.state"])
    .where("erasure.created_at", "<", beforeMs)
    .where("part.state", "!=", "done")
    .orderBy("erasure.id")
    .execute();
}

/** Returns the time of the newest audit entry; 0 without entries. */
export async function latestRecordMs(db: Reader): Promise<number> {
  const row = await db
    .selectFrom("audit")
    .select(({ fn }) => fn.max("at").as("at"))
    .executeTakeFirst();
  return Number(row?.at ?? 0);
}

/** Returns the clock of a database server. */
export async function databaseNowMs(db: Reader): Promise<number> {
  const { rows } = await sql<{
    now: number;
  }>`SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now`.execute(db);
  return Number(rows[0]?.now ?? 0);
}
