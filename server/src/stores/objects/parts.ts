import type { Reader, Writer } from "#stores/metadata/index.ts";
import { blobNotFound, hold, inChunks, liveBlob, liveBlobs, type BlobRow } from "./records.ts";
import type { BlobPart, ByteRange, Composed, PartRange } from "./types.ts";

/** A range of a blob that is not made of parts itself. */
interface Leaf {
  readonly partId: string;
  readonly start: number;
  readonly length: number;
  readonly number: number;
}

export interface NewBlobOfParts {
  readonly id: string;
  readonly digests: string;
  readonly nowMs: number;
}

/** Records a blob of parts, held once, and holds what it is made of. */
export async function composeParts(
  tx: Writer,
  orgId: string,
  parts: readonly PartRange[],
  { id, digests, nowMs }: NewBlobOfParts,
): Promise<Composed> {
  const blobs = await liveBlobs(
    tx,
    orgId,
    parts.map(({ blobId }) => blobId),
  );
  const whole = wholeBlob(parts, blobs);
  if (whole !== undefined) {
    hold(tx, orgId, [whole.id]);
    return { id: whole.id, size: whole.size };
  }
  const leaves: Leaf[] = [];
  for (const [i, part] of parts.entries()) leaves.push(...(await leavesOf(tx, part, part.number ?? i + 1, blobs)));
  const size = leaves.reduce((sum, { length }) => sum + length, 0);
  if (!Number.isSafeInteger(size)) throw new Error("cannot compose the blob: it would have 2^53 bytes or more");
  const fixed = { place: "parts", store_id: "", state: "live", refs: 1, idle_since: null, sha256: null } as const;
  tx.defer(tx.insertInto("blob").values({ ...fixed, id, org_id: orgId, size, digests, created_at: nowMs }));
  await insertLeaves(tx, id, leaves);
  hold(
    tx,
    orgId,
    leaves.map(({ partId }) => partId),
  );
  return { id, size };
}

function wholeBlob(parts: readonly PartRange[], blobs: ReadonlyMap<string, BlobRow>): BlobRow | undefined {
  const [part, ...rest] = parts;
  const blob = blobs.get(part?.blobId ?? "");
  if (part === undefined || blob === undefined || rest.length > 0) return undefined;
  const { start, end } = part.range ?? { start: 0, end: blob.size };
  return start === 0 && end === blob.size ? blob : undefined;
}

async function leavesOf(
  tx: Writer,
  { blobId, range }: PartRange,
  number: number,
  blobs: ReadonlyMap<string, BlobRow>,
): Promise<Leaf[]> {
  const blob = blobs.get(blobId);
  if (blob === undefined) throw blobNotFound();
  const within = checkedRange(blob, range);
  if (blob.place !== "parts")
    return [{ partId: blob.id, start: within.start, length: within.end - within.start, number }];
  const leaves: Leaf[] = [];
  for await (const stretch of stretches(tx, blobId, within)) {
    leaves.push({ partId: stretch.partId, start: stretch.start, length: stretch.length, number });
  }
  return leaves;
}

/** The range, or all of the blob. @throws RangeError when it does not lie within the blob */
export function checkedRange(blob: BlobRow, range: ByteRange | undefined): ByteRange {
  const { start, end } = range ?? { start: 0, end: blob.size };
  if (Number.isSafeInteger(start) && Number.isSafeInteger(end) && start >= 0 && start <= end && end <= blob.size) {
    return { start, end };
  }
  throw new RangeError(`the range ${start} to ${end} does not lie within the blob's ${blob.size} bytes`);
}

async function insertLeaves(tx: Writer, blobId: string, leaves: readonly Leaf[]): Promise<void> {
  let position = 0;
  const rows = leaves.map(({ partId, start, length, number }, seq) => {
    const row = { blob_id: blobId, position, seq, number, part_id: partId, start, length };
    position += length;
    return row;
  });
  for (const chunk of inChunks(rows)) await tx.insertInto("blob_part").values(chunk).execute();
}

/** A range of a part that is to be read. */
export interface Stretch {
  readonly partId: string;
  readonly place: BlobRow["place"];
  readonly storeId: string;
  /** Size of the blob that the range is of. */
  readonly size: number;
  readonly start: number;
  readonly length: number;
}

const PAGE = 250;

/** What a range of a blob of parts is read from, in its order, a page of rows at a time. */
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

/** Where the part begins that has the byte `start`: the last one that begins at it or before. */
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
    .where("p.position", ">=", after.position) // says no more than the next one, but in a form that an index is for
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

/** The parts by the numbers that they were given. */
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
