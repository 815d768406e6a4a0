import type { Reader, Tables } from "#stores/metadata/index.ts";

export type NodeRow = Tables["node"];

/** Those that were seen lately, oldest first. */
export async function nodesOf(db: Reader): Promise<NodeRow[]> {
  return db.selectFrom("node").selectAll().orderBy("started_at").orderBy("id").execute();
}

export async function latestChange(db: Reader): Promise<number> {
  const row = await db.selectFrom("auth_change").select("seq").orderBy("seq", "desc").limit(1).executeTakeFirst();
  return row?.seq ?? 0;
}

/** Those of the records, as they were applied. */
export async function migrationsOf(db: Reader): Promise<Tables["migration"][]> {
  return db.selectFrom("migration").selectAll().orderBy("applied_at").orderBy("name").execute();
}

export type OrganizationRow = Pick<Tables["organization"], "id" | "slug" | "name" | "created_at"> & {
  readonly members: number;
};

/** Every one of the server, by slug. */
export async function organizationsOf(db: Reader): Promise<OrganizationRow[]> {
  return db
    .selectFrom("organization as o")
    .leftJoin("member as m", "m.org_id", "o.id")
    .select((row) => ["o.id", "o.slug", "o.name", "o.created_at", row.fn.count<number>("m.user_id").as("members")])
    .groupBy(["o.id", "o.slug", "o.name", "o.created_at"])
    .orderBy("o.slug")
    .execute();
}
