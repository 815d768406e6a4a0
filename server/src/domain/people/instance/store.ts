import { sql, type ExpressionBuilder } from "kysely";
import { OPERATOR_ROWS_COUNTED_MAX, SEARCHED_ROWS_MAX } from "#kernel/limits.ts";
import type { Reader, Tables } from "#stores/metadata/index.ts";

export type NodeRow = Tables["node"];

/** Returns the nodes that were seen recently, oldest first. */
export async function nodesOf(db: Reader): Promise<NodeRow[]> {
  return db.selectFrom("node").selectAll().orderBy("started_at").orderBy("id").execute();
}

/** Returns the migrations of the records, in the order in which they ran. */
export async function migrationsOf(db: Reader): Promise<Tables["migration"][]> {
  return db.selectFrom("migration").selectAll().orderBy("applied_at").orderBy("name").execute();
}

export type OrganizationRow = Pick<
  Tables["organization"],
  "id" | "slug" | "name" | "created_at" | "state" | "state_reason" | "suspended_at" | "deletes_at"
> & {
  readonly members: number;
};

export interface OrganizationFilter {
  /** Part of the slug or name. */
  readonly q?: string | undefined;
  /** The last slug of the previous page. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/**
 * Lists organizations by slug. No index finds parts of a name, so a search reads a limited number of organizations and
 * returns where to continue.
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
    .select(["o.id", "o.slug", "o.name", "o.created_at", "o.state", "o.state_reason", "o.suspended_at", "o.deletes_at"])
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

/** Counts the members of an organization, up to one more than the limit. */
function membersOf(row: ExpressionBuilder<Tables & { o: Tables["organization"] }, "o">) {
  const some = row
    .selectFrom("member as m")
    .select("m.user_id")
    .whereRef("m.org_id", "=", "o.id")
    // Without this order PostgreSQL may read the whole table for an organization with few members. With it, it uses the
    // index.
    .orderBy("m.user_id")
    .limit(OPERATOR_ROWS_COUNTED_MAX + 1);
  const count = row.selectFrom(some.as("some")).select((each) => each.fn.countAll<number>().as("n"));
  return count.$asScalar().$notNull().as("members");
}
