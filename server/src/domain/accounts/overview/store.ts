import { sql } from "kysely";
import { SEARCHED_ROWS_MAX } from "#kernel/limits.ts";
import type { Reader } from "#stores/metadata/index.ts";
import type { Person } from "../store.ts";

/** An account as the operator sees it. */
export interface Account extends Pick<
  Person,
  "id" | "email" | "name" | "verified_at" | "last_seen_at" | "created_at" | "instance_admin"
> {
  readonly has_second_factor: boolean;
  /** Their slugs. */
  readonly organizations: readonly string[];
}

export interface AccountFilter {
  /** Only accounts with an unverified address and a way to sign in. */
  readonly unverified?: boolean | undefined;
  /** Part of the address or name. */
  readonly q?: string | undefined;
  /** The last address of the previous page. */
  readonly after?: string | undefined;
  readonly limit: number;
}

export interface AccountPage {
  readonly accounts: readonly Account[];
  /** The next page begins after this address. Null: this is the last page. */
  readonly next: string | null;
}

/**
 * Lists accounts by address. No index finds parts of a name, so a search reads a limited number of accounts and returns
 * where to continue.
 */
export async function listAccounts(db: Reader, filter: AccountFilter): Promise<AccountPage> {
  const { q = "", after, limit } = filter;
  const last = q === "" ? undefined : await lastLookedAt(db, filter);
  const rows = await accountRows(db, filter, last);
  const shown = rows.slice(0, limit);
  const slugs = await organizationsOf(
    db,
    shown.map(({ id }) => id),
  );
  return {
    accounts: shown.map(({ totp, ...row }) => ({
      ...row,
      has_second_factor: Number(totp) > 0,
      organizations: slugs.filter(({ userId }) => userId === row.id).map(({ slug }) => slug),
    })),
    next: rows.length > limit ? (shown.at(-1)?.email ?? after ?? null) : (last ?? null),
  };
}

function selected(db: Reader, { unverified, after }: AccountFilter) {
  return db
    .selectFrom("person as p")
    .where("p.email", ">", after ?? "")
    .$if(unverified === true, (query) =>
      query
        .where("p.verified_at", "is", null)
        .where((row) => row.or([row("p.password_hash", "is not", null), row("p.last_seen_at", "is not", null)])),
    );
}

/** Returns the last account that this search may read. Undefined if it can read all that are left. */
async function lastLookedAt(db: Reader, filter: AccountFilter): Promise<string | undefined> {
  const rows = await selected(db, filter)
    .select("p.email")
    .orderBy("p.email")
    .offset(SEARCHED_ROWS_MAX - 1)
    .limit(2)
    .execute();
  return rows.length > 1 ? rows[0]?.email : undefined;
}

async function accountRows(db: Reader, filter: AccountFilter, last: string | undefined) {
  const { q = "", limit } = filter;
  const pattern = `%${q.toLowerCase().replace(/[\\%_]/g, "\\$&")}%`;
  return selected(db, filter)
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
    .$if(q !== "", (query) =>
      query.where(sql<boolean>`(p.email like ${pattern} escape '\\' or lower(p.name) like ${pattern} escape '\\')`),
    )
    .$if(last !== undefined, (query) => query.where("p.email", "<=", last ?? ""))
    .orderBy("p.email")
    .limit(limit + 1)
    .execute();
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

/** Counts the accounts with an unverified address and a way to sign in, up to `most`. */
export async function countUnverified(db: Reader, most = Number.MAX_SAFE_INTEGER): Promise<number> {
  const counted = selected(db, { unverified: true, limit: most }).select("p.email").orderBy("p.email").limit(most);
  const row = await db
    .selectFrom(counted.as("counted"))
    .select(({ fn }) => fn.countAll<number>().as("n"))
    .executeTakeFirstOrThrow();
  return Number(row.n);
}
