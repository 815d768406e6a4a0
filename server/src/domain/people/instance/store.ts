import { sql, type ExpressionBuilder } from "kysely";
import { OPERATOR_ROWS_COUNTED_MAX, SEARCHED_ROWS_MAX } from "#kernel/limits.ts";
import type { Reader, Tables } from "#stores/metadata/index.ts";

export type NodeRow = Tables["node"];

/** Those that were seen lately, oldest first. */
export async function nodesOf(db: Reader): Promise<NodeRow[]> {
  return db.selectFrom("node").selectAll().orderBy("started_at").orderBy("id").execute();
}

/** Those of the records, as they were applied. */
export async function migrationsOf(db: Reader): Promise<Tables["migration"][]> {
  return db.selectFrom("migration").selectAll().orderBy("applied_at").orderBy("name").execute();
}

export type OrganizationRow = Pick<Tables["organization"], "id" | "slug" | "name" | "created_at"> & {
  readonly members: number;
};

export interface OrganizationFilter {
  /** Part of the slug or name. */
  readonly q?: string | undefined;
  /** The last slug of the page before. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/**
 * Ordered by slug. A search reads a limited number of organizations and then returns where it continues, since no index
 * knows parts of a name.
 */
export async function organizationsOf(
  db: Reader,
  { q = "", after = "", limit }: OrganizationFilter,
): Promise<{ readonly organizations: readonly OrganizationRow[]; readonly next: string | null }> {
  const behind = db.selectFrom("organization as o").where("o.slug", ">", after).orderBy("o.slug");
  const looked =
    q === ""
      ? []
      : await behind
          .select("o.slug")
          .offset(SEARCHED_ROWS_MAX - 1)
          .limit(2)
          .execute();
  const last = looked.length > 1 ? looked[0]?.slug : undefined;
  const pattern = `%${q.toLowerCase().replace(/[\\%_]/g, "\\$&")}%`;
  const rows = await behind
    .select(["o.id", "o.slug", "o.name", "o.created_at"])
    .select(membersOf)
    .$if(q !== "", (query) =>
      query.where(sql<boolean>`(o.slug like ${pattern} escape '\\' or lower(o.name) like ${pattern} escape '\\')`),
    )
    .$if(last !== undefined, (query) => query.where("o.slug", "<=", last ?? ""))
    .limit(limit + 1)
    .execute();
  const organizations = rows.slice(0, limit).map((row) => ({ ...row, members: Number(row.members) }));
  return { organizations, next: rows.length > limit ? (organizations.at(-1)?.slug ?? null) : (last ?? null) };
}

/** Members of an organization, one more than are counted at most. */
function membersOf(row: ExpressionBuilder<Tables & { o: Tables["organization"] }, "o">) {
  const some = row
    .selectFrom("member as m")
    .select("m.user_id")
    .whereRef("m.org_id", "=", "o.id")
    // In the order of an index: else PostgreSQL takes the first rows of the table, and reads all of it for an organization with few.
    .orderBy("m.user_id")
    .limit(OPERATOR_ROWS_COUNTED_MAX + 1);
  const count = row.selectFrom(some.as("some")).select((each) => each.fn.countAll<number>().as("n"));
  return count.$asScalar().$notNull().as("members");
}
