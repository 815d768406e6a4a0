import { sql, type RawBuilder } from "kysely";
import { Problem } from "#kernel/problem.ts";
import { jsonTable, type MetadataStore, type Reader, type Writer } from "#stores/metadata/index.ts";
import { blobNotFound, hold, liveBlob, type BlobRow } from "./records.ts";
import type { BlobPart, ByteRange, Composed, PartRange, PartRangeQuery } from "./types.ts";

type Dialect = MetadataStore["dialect"];

/**
 * The most blobs that one blob may consist of, counting those within its parts. More would take a transaction of
 * minutes.
 */
const LEAVES_MAX = 200_000;

export interface NewBlobOfParts {
  readonly id: string;
  readonly digests: string;
  readonly nowMs: number;
}

type Parts = readonly PartRange[] | PartRangeQuery;

/**
 * Records a composed blob with one reference, and references its parts. It reads no rows from the database, since ten
 * thousand would block the event loop for 60 ms.
 */
export async function composeParts(
  dialect: Dialect,
  tx: Writer,
  orgId: string,
  parts: Parts,
  { id, digests, nowMs }: NewBlobOfParts,
): Promise<Composed> {
  const whole = await wholeBlob(tx, orgId, parts);
  if (whole !== undefined) {
    hold(tx, orgId, [whole.id]);
    return { id: whole.id, size: whole.size };
  }
  const ranges = rangesOf(orgId, "length" in parts ? queryOf(dialect, parts) : parts);
  const size = await checkedSize(tx, ranges);
  const fixed = { place: "parts", store_id: "", state: "live", refs: 1, idle_since: null, sha256: null } as const;
  tx.defer(tx.insertInto("blob").values({ ...fixed, id, org_id: orgId, size, digests, created_at: nowMs }));
  await insertLeaves(tx, id, ranges);
  await holdLeaves(tx, orgId, id);
  return { id, size };
}

async function wholeBlob(tx: Writer, orgId: string, parts: Parts): Promise<BlobRow | undefined> {
  const [part, second] = "length" in parts ? parts : await firstOf(tx, parts);
  if (part === undefined || second !== undefined) return undefined;
  const blob = await liveBlob(tx, orgId, part.blobId);
  if (blob === undefined) throw blobNotFound();
  const { start, end } = checkedRange(blob, part.range);
  return start === 0 && end === blob.size ? blob : undefined;
}

/** Returns the range, or the whole blob if there is none. @throws RangeError when it is not within the blob */
export function checkedRange(blob: Pick<BlobRow, "size">, range: ByteRange | undefined): ByteRange {
  const { start, end } = range ?? { start: 0, end: blob.size };
  if (Number.isSafeInteger(start) && Number.isSafeInteger(end) && start >= 0 && start <= end && end <= blob.size) {
    return { start, end };
  }
  throw new RangeError(`the range ${start} to ${end} does not lie within the blob's ${blob.size} bytes`);
}

/** Returns at most two parts: the callers only distinguish none, one and several. */
async function firstOf(tx: Writer, parts: PartRangeQuery): Promise<PartRange[]> {
  const { rows } = await sql<{ blob: string; start: number | null; end: number | null }>`
    select * from (${parts}) as part limit 2`.execute(tx);
  return rows.map(({ blob, start, end }) =>
    start === null || end === null ? { blobId: blob } : { blobId: blob, range: { start, end } },
  );
}

function queryOf(dialect: Dialect, parts: readonly PartRange[]): PartRangeQuery {
  const json = JSON.stringify(
    parts.map(({ blobId, range, number }, i) => ({ i, blob: blobId, number: number ?? i + 1, ...range })),
  );
  const columns = { i: "integer", blob: "text", number: "integer", start: "integer", end: "integer" } as const;
  return sql`select * from ${jsonTable(dialect, columns, json)} as handed_over`;
}

/**
 * Begins a statement in which `ranges` are the parts with a live blob. `first` is their first byte, `behind` the byte
 * after their last.
 */
function rangesOf(orgId: string, parts: PartRangeQuery): RawBuilder<unknown> {
  // A `cross join` keeps SQLite from reading the blobs first.
  return sql`with part as materialized (${parts}),
    ranges as materialized (
      select p.i, p.number, b.id as blob_id, b.place, b.size,
        coalesce(p.start, 0) as first, coalesce(p."end", b.size) as behind
      from part as p cross join blob as b where b.id = p.blob and b.org_id = ${orgId} and b.state = 'live')`;
}

interface Found {
  /** The number of parts whose blob does not exist. */
  readonly missing: number;
  readonly size: number | null;
  /** The number of parts that are composed blobs. */
  readonly composed: number | null;
  /** The first part that is not within its blob. */
  readonly outside: number | null;
}

/** Returns the total size of all parts. @throws Problem `not_found`, `invalid_request`; RangeError */
async function checkedSize(tx: Writer, ranges: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<Found>`${ranges}
    select (select count(*) from part) - count(*) as missing, cast(sum(behind - first) as bigint) as size,
      sum(case when place = 'parts' then 1 else 0 end) as composed,
      min(case when first < 0 or behind < first or behind > size then i end) as outside
    from ranges`.execute(tx);
  const [found] = rows;
  if (found?.missing !== 0) throw blobNotFound();
  if (found.outside !== null) await refuseRange(tx, ranges, found.outside);
  const size = found.size ?? 0;
  if (!Number.isSafeInteger(size)) throw new Error("cannot compose the blob: it would have 2^53 bytes or more");
  if ((found.composed ?? 0) > 0) await requireFewLeaves(tx, ranges);
  return size;
}

async function refuseRange(tx: Writer, ranges: RawBuilder<unknown>, i: number): Promise<void> {
  const { rows } = await sql<{ size: number; start: number; end: number }>`${ranges}
    select size, first as start, behind as "end" from ranges where i = ${i}`.execute(tx);
  for (const { size, start, end } of rows) checkedRange({ size }, { start, end });
}

/** The condition for the parts of a composed blob that overlap the range `r` of it. */
const WITHIN = sql`p.blob_id = r.blob_id and p.length > 0 and p.position < r.behind and p.position + p.length > r.first
  and r.first < r.behind and p.position >= coalesce(
    (select max(f.position) from blob_part as f where f.blob_id = r.blob_id and f.position <= r.first), 0)`;

/** @throws Problem `invalid_request` */
async function requireFewLeaves(tx: Writer, ranges: RawBuilder<unknown>): Promise<void> {
  const { rows } = await sql<{ count: number }>`${ranges}
    select count(*) as count from (
      select 1 from ranges as r cross join blob_part as p where r.place = 'parts' and ${WITHIN}
      limit ${sql.lit(LEAVES_MAX + 1)}) as leaves`.execute(tx);
  if ((rows[0]?.count ?? 0) <= LEAVES_MAX) return;
  const detail = `The object would consist of more than ${LEAVES_MAX} pieces, because its parts are ranges of objects with many parts. Upload the content itself instead of copying it.`;
  throw new Problem("invalid_request", detail);
}

/** Inserts ranges of blobs that are not composed themselves. */
async function insertLeaves(tx: Writer, blobId: string, ranges: RawBuilder<unknown>): Promise<void> {
  await sql`
    insert into blob_part (blob_id, position, seq, number, part_id, start, length)
    ${ranges}, leaves as (
      select i, number, 0 as within, 0 as seq, blob_id as part_id, first as start, behind - first as length
      from ranges where place <> 'parts'
      union all
      select r.i, r.number, p.position, p.seq, p.part_id,
        p.start + case when r.first > p.position then r.first - p.position else 0 end,
        case when r.behind < p.position + p.length then r.behind else p.position + p.length end
          - case when r.first > p.position then r.first else p.position end
      from ranges as r cross join blob_part as p where r.place = 'parts' and ${WITHIN})
    select ${blobId},
      cast(sum(length) over (order by i, within, seq rows unbounded preceding) - length as bigint),
      row_number() over (order by i, within, seq) - 1, number, part_id, start, length
    from leaves`.execute(tx);
}

/** Adds one reference to each part, however often the blob uses it. */
async function holdLeaves(tx: Writer, orgId: string, blobId: string): Promise<void> {
  const { rows } = await sql<{ count: number }>`
    select count(distinct part_id) as count from blob_part where blob_id = ${blobId}`.execute(tx);
  const held = tx
    .updateTable("blob")
    .set(({ eb }) => ({ refs: eb("refs", "+", 1), idle_since: null }))
    .where("id", "in", (eb) => eb.selectFrom("blob_part").select("part_id").where("blob_id", "=", blobId))
    .where("org_id", "=", orgId)
    .where("state", "=", "live");
  tx.defer(held, { changes: rows[0]?.count ?? 0, orElse: blobNotFound });
}

/** A range of a part to read. */
export interface Stretch {
  readonly partId: string;
  readonly place: BlobRow["place"];
  readonly storeId: string;
  /** Size of the blob that the range belongs to. */
  readonly size: number;
  readonly start: number;
  readonly length: number;
}

const PAGE = 250;

/** Yields the ranges of parts to read for a range of a composed blob, in order. Reads one page of rows at a time. */
export async function* stretches(db: Reader | Writer, blobId: string, range: ByteRange): AsyncGenerator<Stretch> {
  let from = { position: await firstPosition(db, blobId, range.start), seq: -1 };
  for (;;) {
    const rows = await stretchPage(db, blobId, from, range.end);
    for (const row of rows) {
      const skipped = Math.max(0, range.start - row.position);
      const length = Math.min(row.position + row.length, range.end) - row.position - skipped;
      from = row;
      if (length <= 0) continue;
      yield {
        partId: row.part_id,
        place: row.place,
        storeId: row.store_id,
        size: row.size,
        start: row.start + skipped,
        length,
      };
    }
    if (rows.length < PAGE) return;
  }
}

/** Returns the start of the part with the byte `start`: the last part that begins there or before. */
async function firstPosition(db: Reader | Writer, blobId: string, start: number): Promise<number> {
  const row = await db
    .selectFrom("blob_part")
    .select("position")
    .where("blob_id", "=", blobId)
    .where("position", "<=", start)
    .orderBy("position", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.position ?? 0;
}

type StretchRow = {
  position: number;
  seq: number;
  length: number;
  start: number;
  part_id: string;
  place: BlobRow["place"];
  store_id: string;
  size: number;
};

async function stretchPage(
  db: Reader | Writer,
  blobId: string,
  after: { position: number; seq: number },
  end: number,
): Promise<StretchRow[]> {
  return db
    .selectFrom("blob_part as p")
    .innerJoin("blob as b", "b.id", "p.part_id")
    .select(["p.position", "p.seq", "p.length", "p.start", "p.part_id", "b.place", "b.store_id", "b.size"])
    .where("p.blob_id", "=", blobId)
    .where("p.position", ">=", after.position) // implied by the next condition, but an index can use it
    .where((eb) =>
      eb.or([
        eb("p.position", ">", after.position),
        eb.and([eb("p.position", "=", after.position), eb("p.seq", ">", after.seq)]),
      ]),
    )
    .where("p.position", "<", end)
    .orderBy("p.position")
    .orderBy("p.seq")
    .limit(PAGE)
    .execute();
}

/** Lists the parts by the numbers that the client gave. */
export async function partsOf(db: Reader, orgId: string, blobId: string): Promise<BlobPart[]> {
  if ((await liveBlob(db, orgId, blobId)) === undefined) throw blobNotFound();
  const rows = await db
    .selectFrom("blob_part")
    .select(["number", "position", "length"])
    .where("blob_id", "=", blobId)
    .orderBy("position")
    .orderBy("seq")
    .execute();
  const parts: BlobPart[] = [];
  for (const { number, position, length } of rows) {
    const last = parts.at(-1);
    if (last?.number === number) parts[parts.length - 1] = { ...last, length: last.length + length };
    else parts.push({ number, position, length });
  }
  return parts;
}
