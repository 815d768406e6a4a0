import { sql, type RawBuilder } from "kysely";
import { Problem } from "#kernel/problem.ts";
import {
  columnsOf,
  jsonTable,
  prepared,
  type MetadataStore,
  type Reader,
  type Tables,
  type Writer,
} from "#stores/metadata/index.ts";
import type { BlobQuery, StagedBlob } from "./types.ts";

/** The most identifiers in one statement. */
const CHUNK = 500;

export function inChunks<T>(items: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / CHUNK) }, (_, i) => items.slice(i * CHUNK, (i + 1) * CHUNK));
}

export interface BlobRow {
  readonly id: string;
  readonly place: "inline" | "driver" | "parts";
  readonly store_id: string;
  readonly size: number;
  readonly sha256: string | null;
  readonly digests: string;
}

const BLOB_COLUMNS = ["id", "place", "store_id", "size", "sha256", "digests"] as const;

/** Returns a live blob of the organization. */
export async function liveBlob(db: Reader | Writer, orgId: string, id: string): Promise<BlobRow | undefined> {
  return db
    .selectFrom("blob")
    .select(BLOB_COLUMNS)
    .where("id", "=", id)
    .where("org_id", "=", orgId)
    .where("state", "=", "live")
    .executeTakeFirst();
}

/** Returns a live blob of the organization, with its bytes if they are in the records. */
export async function liveBlobWithData(
  db: Reader,
  orgId: string,
  id: string,
): Promise<(BlobRow & { readonly data: Uint8Array | null }) | undefined> {
  return (await LIVE_BLOB_WITH_DATA.execute(db, orgId, id))[0];
}

const LIVE_BLOB_WITH_DATA = prepared((db, orgId: string, id: string) =>
  db
    .selectFrom("blob")
    .leftJoin("blob_data", "blob_data.id", "blob.id")
    .select(["blob.id", "place", "store_id", "size", "sha256", "digests", "data"])
    .where("blob.id", "=", id)
    .where("org_id", "=", orgId)
    .where("state", "=", "live"),
);

export async function inlineData(db: Reader, id: string): Promise<Uint8Array | undefined> {
  return (await db.selectFrom("blob_data").select("data").where("id", "=", id).executeTakeFirst())?.data;
}

/** Records a blob before its bytes are written, so that the collector finds the leftovers of a crash. */
export async function beginBlob(
  metadata: MetadataStore,
  blob: { id: string; orgId: string; storeId: string },
  nowMs: number,
): Promise<void> {
  const values: Tables["blob"] = {
    id: blob.id,
    org_id: blob.orgId,
    store_id: blob.storeId,
    place: "driver",
    state: "writing",
    size: 0,
    refs: 0,
    idle_since: nowMs,
    sha256: null,
    digests: "{}",
    created_at: nowMs,
  };
  await metadata.write((tx) => tx.insertInto("blob").values(values).execute());
}

/** Links a staged blob, once or several times. The transaction fails when the blob was deleted. */
export function linkStaged(tx: Writer, staged: StagedBlob, nowMs: number): void {
  if (staged.data !== null) return linkInline(tx, staged, staged.data, nowMs);
  const linked = tx
    .updateTable("blob")
    .set(({ eb }) => ({
      state: "live",
      size: staged.size,
      sha256: staged.sha256,
      digests: JSON.stringify(staged.digests),
      refs: eb("refs", "+", 1),
      idle_since: null,
    }))
    .where("id", "=", staged.id)
    .where("org_id", "=", staged.orgId)
    .where("state", "in", ["writing", "live"]);
  tx.defer(linked, { changes: 1, orElse: stagedBlobGone });
}

function stagedBlobGone(): Problem {
  return new Problem("unavailable", "The content was not used in time, so it was deleted. Send it again.");
}

function linkInline(tx: Writer, staged: StagedBlob, data: Uint8Array, nowMs: number): void {
  const { id, orgId, size, sha256 } = staged;
  const digests = JSON.stringify(staged.digests);
  tx.defer(LINK_INLINE.with(tx, { id, org_id: orgId, size, sha256, digests, created_at: nowMs }));
  tx.defer(INSERT_DATA.with(tx, id, data));
}

const INLINE_COLUMNS = ["id", "org_id", "size", "sha256", "digests", "created_at"] as const;

const LINK_INLINE = prepared((db, row: Pick<Tables["blob"], (typeof INLINE_COLUMNS)[number]>) =>
  db
    .insertInto("blob")
    .values({
      ...columnsOf(row, INLINE_COLUMNS),
      store_id: "",
      place: "inline",
      state: "live",
      refs: 1,
      idle_since: null,
    })
    .onConflict((on) => on.column("id").doUpdateSet({ refs: sql`blob.refs + 1`, idle_since: null })),
);

const INSERT_DATA = prepared((db, id: string, data: Uint8Array) =>
  db
    .insertInto("blob_data")
    .values({ id, data })
    .onConflict((on) => on.doNothing()),
);

/**
 * Links live blobs, each once. The transaction fails with `not_found` when one is not live, or belongs to another
 * organization.
 */
export function hold(tx: Writer, orgId: string, ids: readonly string[]): void {
  for (const chunk of inChunks([...new Set(ids)].toSorted())) {
    const held = tx
      .updateTable("blob")
      .set(({ eb }) => ({ refs: eb("refs", "+", 1), idle_since: null }))
      .where("id", "in", chunk)
      .where("org_id", "=", orgId)
      .where("state", "=", "live");
    tx.defer(held, { changes: chunk.length, orElse: blobNotFound });
  }
}

/** Unlinks blobs, each as often as it is named. */
export function release(
  dialect: MetadataStore["dialect"],
  tx: Writer,
  orgId: string,
  blobs: readonly string[] | BlobQuery,
  nowMs: number,
): void {
  if ("ids" in blobs) {
    const { ids, count } = blobs;
    return tx.defer(releaseOf(ids, { org_id: orgId, now: nowMs }).compile(tx), { changes: count, orElse: notLinked });
  }
  const released = { org_id: orgId, now: nowMs, blobs: JSON.stringify(blobs.map((id) => ({ id }))) };
  tx.defer(RELEASE[dialect].with(tx, released), { changes: new Set(blobs).size, orElse: notLinked });
}

interface Released {
  readonly org_id: string;
  readonly now: number;
}

const RELEASE = { sqlite: releaseIn("sqlite"), postgres: releaseIn("postgres") };

function releaseIn(dialect: MetadataStore["dialect"]) {
  return prepared((_db, { org_id, now, blobs }: Released & { readonly blobs: string }) =>
    releaseOf(sql`select id from ${jsonTable(dialect, { id: "text" }, blobs)} as b`, { org_id, now }),
  );
}

/** Unlinks in the order of the ids, so that two transactions with the same blobs do not deadlock. */
function releaseOf(ids: RawBuilder<unknown>, { org_id, now }: Released): RawBuilder<unknown> {
  return sql`
    update blob set refs = blob.refs - named.count,
      idle_since = case when blob.refs = named.count then cast(${now} as bigint) end
    from (select id, count(*) as count from (${ids}) as listed group by id order by id) as named
    where blob.id = named.id and blob.org_id = ${org_id} and blob.refs >= named.count`;
}

function notLinked(): Error {
  return new Error("cannot unlink blobs: one of them is not linked, or is another organization's");
}

/** Deletes the row of a staged blob unless it is linked. Returns whether the bytes must be deleted. */
export async function dropStaged(tx: Writer, { orgId, id }: { orgId: string; id: string }): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("blob")
    .set({ state: "dropped" })
    .where("id", "=", id)
    .where("org_id", "=", orgId)
    .where("refs", "=", 0)
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows) === 1;
}

/** Deletes the rows of blobs whose bytes are deleted. */
export async function forget(tx: Writer, ids: readonly string[]): Promise<void> {
  for (const chunk of inChunks(ids)) {
    await tx.deleteFrom("blob").where("id", "in", chunk).where("state", "=", "dropped").execute();
  }
}

export function blobNotFound(): Problem {
  return new Problem("not_found", "The content does not exist.");
}
