import { sql } from "kysely";
import type { MetadataStore, Reader, Writer } from "./types.ts";

/** Rows of a page. They are in memory. */
const PAGE = 500;
/** PostgreSQL has at most 65,535 parameters in a statement, and SQLite 32,766. */
const PARAMETERS_MAX = 20_000;

type Row = Record<string, unknown>;

/** Lists the tables of a PostgreSQL database with their primary keys. */
export async function postgresTables(db: Reader): Promise<{ table: string; key: string[] }[]> {
  const { rows } = await sql<{ table: string; column: string }>`
    select c.relname as table, a.attname as column from pg_catalog.pg_index i
      join pg_catalog.pg_class c on c.oid = i.indrelid
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace and n.nspname = current_schema()
      cross join lateral unnest(i.indkey) with ordinality as k(attnum, place)
      join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
    where i.indisprimary order by c.relname, k.place`.execute(db);
  return [...Map.groupBy(rows, ({ table }) => table)].map(([table, columns]) => ({
    table,
    key: columns.map(({ column }) => column),
  }));
}

/** Yields the rows of a table as lines of JSON, in the order of the key. */
export async function* recordLines(
  db: Reader,
  { table, key }: { readonly table: string; readonly key: readonly string[] },
): AsyncGenerator<Buffer> {
  const order = sql.join(key.map((name) => sql.ref(name)));
  for (let after: Row | undefined; ;) {
    const last = after;
    const beyond =
      last === undefined ? sql`true` : sql`(${order}) > (${sql.join(key.map((name) => sql.val(last[name])))})`;
    const page = sql<Row>`select * from ${sql.table(table)} where ${beyond} order by ${order} limit ${sql.lit(PAGE)}`;
    const { rows } = await page.execute(db);
    for (const row of rows) yield Buffer.from(`${JSON.stringify(row, bytesAsText)}\n`);
    after = rows.at(-1);
    if (rows.length < PAGE) return;
  }
}

function bytesAsText(_name: string, value: unknown): unknown {
  return value instanceof Uint8Array ? { bytes: Buffer.from(value).toString("base64") } : value;
}

/**
 * Replaces all rows of a new database by those of a copy, in one transaction. Both must have the same migrations.
 * @throws Error when the migrations differ, or a table is unknown
 */
export async function loadRecords(
  metadata: MetadataStore,
  copied: ReadonlyMap<string, () => AsyncIterable<string>>,
): Promise<void> {
  await metadata.write(async (tx) => {
    await requireSameMigrations(tx, copied.get("migration"));
    const tables = await tablesInOrder(metadata, tx);
    const unknown = [...copied.keys()].filter((table) => !tables.includes(table));
    if (unknown.length > 0)
      throw new Error(`the copy has tables that this version does not know: ${unknown.join(", ")}`);
    const loaded = tables.filter((table) => table !== "migration");
    for (const table of loaded.toReversed()) await sql`delete from ${sql.table(table)}`.execute(tx);
    for (const table of loaded) await loadTable(tx, table, copied.get(table)?.() ?? nothing());
  });
}

async function* nothing(): AsyncGenerator<string> {}

async function requireSameMigrations(tx: Writer, lines: (() => AsyncIterable<string>) | undefined): Promise<void> {
  const theirs: string[] = [];
  for await (const line of lines?.() ?? nothing()) theirs.push(String((JSON.parse(line) as Row)["name"]));
  const ours = (await tx.selectFrom("migration").select("name").execute()).map(({ name }) => name);
  if (theirs.toSorted().join(" ") !== ours.toSorted().join(" "))
    throw new Error(
      "another version of Mooring has made these records: restore them with that version, and upgrade them then",
    );
}

async function loadTable(tx: Writer, table: string, lines: AsyncIterable<string>): Promise<void> {
  let batch: Row[] = [];
  for await (const line of lines) {
    batch.push(JSON.parse(line, textAsBytes) as Row);
    if (batch.length < PAGE) continue;
    await insertBatch(tx, table, batch);
    batch = [];
  }
  await insertBatch(tx, table, batch);
}

function textAsBytes(_name: string, value: unknown): unknown {
  const isBytes = typeof value === "object" && value !== null && typeof Reflect.get(value, "bytes") === "string";
  return isBytes ? Buffer.from((value as { bytes: string }).bytes, "base64") : value;
}

async function insertBatch(tx: Writer, table: string, rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  const size = Math.max(1, Math.floor(PARAMETERS_MAX / Math.max(1, columns.length)));
  const names = sql.join(columns.map((name) => sql.ref(name)));
  for (let at = 0; at < rows.length; at += size) {
    const values = rows
      .slice(at, at + size)
      .map((row) => sql`(${sql.join(columns.map((name) => sql.val(row[name])))})`);
    await sql`insert into ${sql.table(table)} (${names}) values ${sql.join(values)}`.execute(tx);
  }
}

/** Lists the tables so that no row names a row of a later table. */
async function tablesInOrder({ dialect }: MetadataStore, tx: Writer): Promise<string[]> {
  const all =
    dialect === "sqlite"
      ? sql<{
          name: string;
        }>`select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by name`
      : sql<{
          name: string;
        }>`select tablename as name from pg_catalog.pg_tables where schemaname = current_schema() order by tablename`;
  const references =
    dialect === "sqlite"
      ? sql<{
          name: string;
          target: string;
        }>`select s.name, f."table" as target from sqlite_schema s, pragma_foreign_key_list(s.name) f where s.type = 'table'`
      : sql<{
          name: string;
          target: string;
        }>`select c.relname as name, t.relname as target from pg_catalog.pg_constraint k
          join pg_catalog.pg_class c on c.oid = k.conrelid join pg_catalog.pg_class t on t.oid = k.confrelid
          join pg_catalog.pg_namespace n on n.oid = c.relnamespace and n.nspname = current_schema() where k.contype = 'f'`;
  const names = (await all.execute(tx)).rows.map(({ name }) => name);
  const targets = Map.groupBy((await references.execute(tx)).rows, ({ name }) => name);
  const ordered = new Set<string>();
  const visit = (name: string, path: readonly string[]): void => {
    if (ordered.has(name) || path.includes(name)) return;
    for (const { target } of targets.get(name) ?? []) visit(target, [...path, name]);
    ordered.add(name);
  };
  for (const name of names) visit(name, []);
  return [...ordered];
}
