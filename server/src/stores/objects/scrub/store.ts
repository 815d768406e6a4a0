import { sql } from "kysely";
import type { Reader } from "#stores/metadata/index.ts";
import type { ReferenceColumn } from "./types.ts";

const PAGE = 500;

export interface ScrubRow {
  readonly id: string;
  readonly org_id: string;
  readonly place: "inline" | "driver" | "parts";
  readonly store_id: string;
  readonly size: number;
  readonly refs: number;
  readonly sha256: string | null;
}

export async function blobPage(db: Reader, after: string): Promise<ScrubRow[]> {
  return db
    .selectFrom("blob")
    .select(["id", "org_id", "place", "store_id", "size", "refs", "sha256"])
    .where("id", ">", after)
    .where("state", "=", "live")
    .orderBy("id")
    .limit(PAGE)
    .execute();
}

export async function isLive(db: Reader, id: string): Promise<boolean> {
  const row = await db
    .selectFrom("blob")
    .select("id")
    .where("id", "=", id)
    .where("state", "=", "live")
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns the ids that have a row, in any state. */
export async function existingBlobs(db: Reader, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db.selectFrom("blob").select("id").where("id", "in", ids).execute();
  return new Set(rows.map(({ id }) => id));
}

interface PartRow {
  readonly position: number;
  readonly seq: number;
  readonly part_id: string;
  readonly start: number;
  readonly length: number;
  readonly state: string;
  readonly org_id: string;
  readonly size: number;
}

export async function* partRows(db: Reader, blobId: string): AsyncGenerator<PartRow> {
  let after = { position: 0, seq: -1 };
  for (;;) {
    const page: PartRow[] = await db
      .selectFrom("blob_part as p")
      .innerJoin("blob as b", "b.id", "p.part_id")
      .select(["p.position", "p.seq", "p.part_id", "p.start", "p.length", "b.state", "b.org_id", "b.size"])
      .where("p.blob_id", "=", blobId)
      .where("p.position", ">=", after.position)
      .where((eb) => eb.or([eb("p.position", ">", after.position), eb("p.seq", ">", after.seq)]))
      .orderBy("p.position")
      .orderBy("p.seq")
      .limit(PAGE)
      .execute();
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = last;
  }
}

/** Counts the references to some blobs. Blobs without references are missing in the result. */
export async function countReferences(
  db: Reader,
  references: readonly ReferenceColumn[],
  ids: readonly string[],
): Promise<Map<string, number>> {
  const held = new Map<string, number>();
  if (ids.length === 0) return held;
  const byParts = await db
    .selectFrom("blob_part")
    .select(({ fn }) => ["part_id as id", fn.count<number>("blob_id").distinct().as("held")])
    .where("part_id", "in", ids)
    .groupBy("part_id")
    .execute();
  for (const row of byParts) held.set(row.id, Number(row.held));
  for (const { table, column } of references) {
    const { rows } = await sql<{ id: string; held: number }>`
      select ${sql.ref(column)} as id, count(*) as held from ${sql.table(table)}
      where ${sql.ref(column)} in (${sql.join(ids)}) group by ${sql.ref(column)}`.execute(db);
    for (const row of rows) held.set(row.id, (held.get(row.id) ?? 0) + Number(row.held));
  }
  return held;
}

/** Counts the references of a blob again, in one statement. Returns undefined when its count is right. */
export async function wrongCount(
  db: Reader,
  references: readonly ReferenceColumn[],
  id: string,
): Promise<{ refs: number; held: number } | undefined> {
  const counts = references.map(
    ({ table, column }) => sql`(select count(*) from ${sql.table(table)} where ${sql.ref(column)} = b.id)`,
  );
  const byParts = sql`(select count(distinct p.blob_id) from blob_part as p where p.part_id = b.id)`;
  const { rows } = await sql<{ refs: number; held: number }>`
    select b.refs, ${sql.join([byParts, ...counts], sql` + `)} as held from blob as b where b.id = ${id} and b.state = 'live'`.execute(
    db,
  );
  const [row] = rows;
  return row === undefined || Number(row.refs) === Number(row.held)
    ? undefined
    : { refs: Number(row.refs), held: Number(row.held) };
}

export interface HeldPage {
  /** Where the next page begins, or undefined at the end. */
  readonly last: Held | undefined;
  readonly rows: number;
  readonly dangling: readonly Held[];
}

export interface Held {
  readonly id: string;
  readonly orgId: string;
}

/**
 * Returns the next blobs that a column references, and those that do not exist for the row's organization. One
 * statement reads both, so they are from the same moment.
 */
export async function heldPage(
  db: Reader,
  { table, column, orgColumn, owner = "" }: ReferenceColumn,
  after: Held = { id: "", orgId: "" },
): Promise<HeldPage> {
  const [blob, org] = [sql.ref(column), orgColumn === undefined ? sql`cast(${owner} as text)` : sql.ref(orgColumn)];
  const { rows } = await sql<{ id: string; org_id: string; held: number; found: string | null }>`
    select h.id, h.org_id, h.held, b.id as found
    from (
      select ${blob} as id, ${org} as org_id, count(*) as held from ${sql.table(table)}
      where ${blob} >= ${after.id} and (${blob} > ${after.id} or ${org} > ${after.orgId})
      group by 1, 2 order by 1, 2 limit ${PAGE}
    ) as h
    left join blob as b on b.id = h.id and b.org_id = h.org_id and b.state = 'live'
    order by h.id, h.org_id`.execute(db);
  const held = rows.map(({ id, org_id: orgId, found }) => ({ id, orgId, found }));
  return {
    last: held.at(-1),
    rows: rows.reduce((sum, row) => sum + Number(row.held), 0),
    dangling: held.filter(({ found }) => found === null),
  };
}
