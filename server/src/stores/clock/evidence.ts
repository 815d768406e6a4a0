import { sql } from "kysely";
import type { MetadataStore } from "#stores/metadata/index.ts";

/** Returns the newest time in the records, or 0 when they have none. */
export async function newestRecordMs({ read }: Pick<MetadataStore, "read">): Promise<number> {
  const audit = await read
    .selectFrom("audit")
    .select(({ fn }) => fn.max("at").as("at"))
    .executeTakeFirst();
  const node = await read
    .selectFrom("node")
    .select(({ fn }) => fn.max("seen_at").as("at"))
    .executeTakeFirst();
  const store = await read
    .selectFrom("telemetry_store")
    .select(({ fn }) => fn.max("seen_at").as("at"))
    .executeTakeFirst();
  return Math.max(...[audit, node, store].map((row) => Number(row?.at ?? 0)));
}

/** Returns the time of the database server, or undefined for SQLite. */
export async function databaseNowMs({ read, dialect }: Pick<MetadataStore, "read" | "dialect">) {
  if (dialect !== "postgres") return undefined;
  const query = sql<{ now: number }>`select extract(epoch from clock_timestamp())::float8 * 1000 as now`;
  return Number((await query.execute(read)).rows[0]?.now ?? 0);
}
