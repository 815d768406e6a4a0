import { sql } from "kysely";
import type { Reader } from "#stores/metadata/index.ts";
import type { Person } from "../store.ts";

/** An account as the operator sees it. */
export interface Account extends Pick<
  Person,
  "id" | "email" | "name" | "verified_at" | "last_seen_at" | "created_at" | "instance_admin"
> {
  readonly has_second_factor: boolean;
  /** Slugs. */
  readonly organizations: readonly string[];
}

export interface AccountFilter {
  /** Only those with a way in whose address nobody has proved. */
  readonly unverified?: boolean | undefined;
  /** Part of the address or name. */
  readonly q?: string | undefined;
  /** The last address of the page before. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** By address; one more than the limit where there are more. */
export async function listAccounts(db: Reader, filter: AccountFilter): Promise<Account[]> {
  const { q = "", after } = filter;
  const pattern = `%${q.toLowerCase().replace(/[\\%_]/g, "\\$&")}%`;
  const rows = await db
    .selectFrom("person as p")
    .select(["p.id", "p.email", "p.name", "p.verified_at", "p.last_seen_at", "p.created_at", "p.instance_admin"])
    .select((row) =>
      row
        .selectFrom("person_totp as t")
        .select(row.fn.countAll<number>().as("n"))
        .whereRef("t.user_id", "=", "p.id")
        .where("t.confirmed_at", "is not", null)
        .$asScalar()
        .$notNull()
        .as("totp"),
    )
    .$if(filter.unverified === true, (query) =>
      query
        .where("p.verified_at", "is", null)
        .where((row) => row.or([row("p.password_hash", "is not", null), row("p.last_seen_at", "is not", null)])),
    )
    .$if(q !== "", (query) =>
      query.where(sql<boolean>`(p.email like ${pattern} escape '\\' or lower(p.name) like ${pattern} escape '\\')`),
    )
    .$if(after !== undefined, (query) => query.where("p.email", ">", after ?? ""))
    .orderBy("p.email")
    .limit(filter.limit + 1)
    .execute();
  const slugs = await organizationsOf(
    db,
    rows.map(({ id }) => id),
  );
  return rows.map(({ totp, ...row }) => ({
    ...row,
    has_second_factor: Number(totp) > 0,
    organizations: slugs.filter(({ userId }) => userId === row.id).map(({ slug }) => slug),
  }));
}

async function organizationsOf(db: Reader, userIds: readonly string[]): Promise<{ userId: string; slug: string }[]> {
  if (userIds.length === 0) return [];
  return db
    .selectFrom("member as m")
    .innerJoin("organization as o", "o.id", "m.org_id")
    .select(["m.user_id as userId", "o.slug"])
    .where("m.user_id", "in", [...userIds])
    .orderBy("o.slug")
    .execute();
}

/** How many accounts have a way in and an address that nobody has proved. */
export async function countUnverified(db: Reader): Promise<number> {
  const row = await db
    .selectFrom("person")
    .select(({ fn }) => fn.countAll<number>().as("n"))
    .where("verified_at", "is", null)
    .where((person) => person.or([person("password_hash", "is not", null), person("last_seen_at", "is not", null)]))
    .executeTakeFirstOrThrow();
  return Number(row.n);
}
