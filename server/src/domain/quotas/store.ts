import { sql } from "kysely";
import { NO_LIMIT } from "#kernel/no-limit.ts";
import { prepared, type Reader, type Writer } from "#stores/metadata/index.ts";
import { KINDS, POLICIES, type Kind, type Place, type PolicyKind, type Shape, type Usage } from "./kinds.ts";

/** Adds to the numbers of a key. Other columns stay. */
export function addUsage<K extends Kind>(tx: Writer, kind: K, place: Place<K>, change: Partial<Usage<K>>): void {
  const numbers: Readonly<Record<string, number | undefined>> = change;
  const names: readonly string[] = KINDS[kind].columns;
  const columns = Object.fromEntries(names.map((name) => [name, numbers[name] ?? 0]));
  if (Object.values(columns).some((number) => number !== 0)) tx.defer(ADD[kind].with(tx, { ...place, ...columns }));
}

type Row = Readonly<Record<string, string | number>>;

const ADD = {
  files: adderOf(KINDS.files),
  images: adderOf(KINDS.images),
  objects: adderOf(KINDS.objects),
  events: adderOf(KINDS.events),
};

function adderOf({ table, key, columns }: Shape) {
  const names = [...key, ...columns];
  const sums = columns.map(
    (name) => sql`${sql.ref(name)} = ${sql.ref(`${table}.${name}`)} + excluded.${sql.ref(name)}`,
  );
  return prepared(
    (_db, row: Row) => sql`
    insert into ${sql.table(table)} (${refs(names)}) values (${sql.join(names.map((name) => row[name]))})
    on conflict (${refs(key)}) do update set ${sql.join(sums)}`,
  );
}

function refs(names: readonly string[]) {
  return sql.join(names.map((name) => sql.ref(name)));
}

/** Most organizations have fewer rows than this. So few rows are read in this thread. */
const ROWS_FEW = 200;

type Where<K extends Kind> = { readonly org_id: string } & Partial<Place<K>>;

/** Returns the rows of an organization, or of one key of it. */
export async function usageRows<K extends Kind>(
  db: Reader,
  kind: K,
  where: Where<K>,
): Promise<(Place<K> & Usage<K>)[]> {
  const { table, key, columns } = KINDS[kind];
  const conditions = Object.entries(where).map(([name, value]) => sql`${sql.ref(name)} = ${value}`);
  const rows = sql`select ${refs([...key, ...columns])} from ${sql.table(table)} where ${sql.join(conditions, sql` and `)}`;
  const few = await sql<Place<K> & Usage<K>>`${rows} limit ${ROWS_FEW}`.execute(db);
  if (few.rows.length < ROWS_FEW) return few.rows;
  return (await sql<Place<K> & Usage<K>>`${rows}`.execute(db)).rows;
}

/** Returns the sums of these rows. */
export async function usageOf<K extends Kind>(db: Reader, kind: K, where: Where<K>): Promise<Usage<K>> {
  const rows: readonly Row[] = await usageRows(db, kind, where);
  const names: readonly string[] = KINDS[kind].columns;
  const sums = names.map((name) => [name, rows.reduce((sum, row) => sum + Number(row[name]), 0)]);
  return Object.fromEntries(sums) as Usage<K>;
}

/** Returns the quota that the operator set for an organization. Null: none. */
export async function storedQuotaOf(db: Reader, kind: PolicyKind, orgId: string): Promise<number | null> {
  const policies = db.selectFrom(POLICIES[kind].table).select("stored_bytes_max");
  return (await policies.where("org_id", "=", orgId).executeTakeFirst())?.stored_bytes_max ?? null;
}

/** Returns the same quota. Call it before the transaction has changed anything. */
export async function storedQuotaAhead(tx: Writer, kind: PolicyKind, orgId: string): Promise<number | null> {
  const policies = tx.selectFrom(POLICIES[kind].table).select("stored_bytes_max").where("org_id", "=", orgId);
  return (await tx.readAhead(policies))[0]?.stored_bytes_max ?? null;
}

/** Lists the organizations with their own quota, by slug. */
export async function storedQuotas(
  db: Reader,
  kind: PolicyKind,
): Promise<{ readonly slug: string; readonly stored_bytes_max: number | null }[]> {
  const { rows } = await sql<{ readonly slug: string; readonly stored_bytes_max: number | null }>`
    select o.slug, p.stored_bytes_max from ${sql.table(POLICIES[kind].table)} as p
    join organization as o on o.id = p.org_id order by o.slug`.execute(db);
  return rows;
}

/**
 * Returns the highest used share of the organizations' quotas for one kind. `defaultMax`: the quota of the others; null: none.
 */
export async function fullestOrganization(db: Reader, kind: Kind, defaultMax: number | null): Promise<number> {
  const hasPolicy = kind in POLICIES;
  if (!hasPolicy && defaultMax === null) return 0;
  const { table, counted } = KINDS[kind];
  const bytes = sql.join(
    counted.map((name) => sql`sum(${sql.ref(`u.${name}`)})`),
    sql` + `,
  );
  const byDefault = sql.lit(defaultMax ?? NO_LIMIT);
  const most = hasPolicy ? sql`coalesce(max(p.stored_bytes_max), ${byDefault})` : byDefault;
  // Without a default, only the organizations with their own quota have one.
  const join = sql.raw(defaultMax === null ? "join" : "left join");
  const policy = hasPolicy
    ? sql`${join} ${sql.table(POLICIES[kind as PolicyKind].table)} as p on p.org_id = u.org_id`
    : sql``;
  const { rows } = await sql<{ share: number | string | null }>`
    select max(case when most = 0 then 1.0 else 1.0 * used / most end) as share from (
      select ${bytes} as used, ${most} as most from ${sql.table(table)} as u ${policy} group by u.org_id) as sums`.execute(
    db,
  );
  return Number(rows[0]?.share ?? 0);
}

export async function putStoredQuota(
  tx: Writer,
  kind: PolicyKind,
  row: { readonly org_id: string; readonly stored_bytes_max: number | null; readonly updated_at: number },
): Promise<void> {
  const { org_id: _orgId, ...change } = row;
  await tx
    .insertInto(POLICIES[kind].table)
    .values(row)
    .onConflict((on) => on.column("org_id").doUpdateSet(change))
    .execute();
}
