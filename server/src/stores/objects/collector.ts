import { sql } from "kysely";
import { earlier, type Cutoff, type GuardedClock } from "#kernel/deletions.ts";
import type { MetadataStore, Writer } from "#stores/metadata/index.ts";
import type { BlobDriver } from "./driver.ts";
import type { Pins } from "./pins.ts";
import { forget, inChunks } from "./records.ts";
import type { ObjectLog } from "./settings.ts";
import type { Collected } from "./types.ts";

/** The most blobs that one transaction marks. */
const BATCH = 200;

export interface CollectorParts {
  readonly metadata: MetadataStore;
  readonly driver: BlobDriver;
  readonly clock: GuardedClock;
  readonly pins: Pins;
  readonly graceMs: number;
  readonly log: ObjectLog;
}

interface Dropped {
  readonly id: string;
  readonly size: number;
  readonly place: "inline" | "driver" | "parts";
  /** Null when the write did not end. */
  readonly sha256: string | null;
}

/**
 * Deletes blobs that had no references for the grace period. First a transaction marks them, after which no reference
 * can be added. Then their bytes are deleted, and finally their rows. After a crash in between, the next run continues
 * from the mark.
 */
export async function collect(parts: CollectorParts): Promise<Collected> {
  await renewPins(parts);
  const nowMs = parts.clock.deletionTime("content");
  if (nowMs === null) return { blobs: 0, bytes: 0 };
  const before = earlier(nowMs, parts.graceMs);
  let blobs = 0;
  let bytes = 0;
  for (;;) {
    const dropped = await dropIdle(parts, before);
    blobs += dropped.length;
    for (const { size } of dropped) bytes += size;
    if (dropped.length === 0) break;
  }
  await deleteDropped(parts);
  return { blobs, bytes };
}

/** Tells collectors on other servers which blobs are being written or read here. */
export async function renewPins({ metadata, pins, clock }: CollectorParts): Promise<void> {
  const ids = pins.ids();
  for (const chunk of inChunks(ids.toSorted())) {
    await metadata.write(async (tx) => {
      await tx
        .updateTable("blob")
        .set({ idle_since: clock.nowMs() })
        .where("id", "in", chunk)
        .where("refs", "=", 0)
        .where("state", "<>", "dropped")
        .execute();
    });
  }
}

async function dropIdle({ metadata, driver, pins }: CollectorParts, before: Cutoff): Promise<Dropped[]> {
  return metadata.write(async (tx) => {
    const idle = await tx
      .selectFrom("blob")
      .select(["id", "place"])
      .where("idle_since", "<", before)
      .where("state", "<>", "dropped")
      .where("store_id", "in", ["", driver.storeId])
      .orderBy("idle_since")
      .limit(BATCH + pins.ids().length)
      .execute();
    const free = idle.filter(({ id }) => !pins.has(id));
    // In a separate transaction, because a blob may have 10,000 parts.
    const ofParts = free.find(({ place }) => place === "parts");
    const chosen = ofParts === undefined ? free.slice(0, BATCH) : [ofParts];
    return chosen.length === 0 ? [] : drop(tx, chosen.map(({ id }) => id).toSorted(), before);
  });
}

/** Marks the blobs that still have no references. Row locks serialize this with servers that link one now. */
async function drop(tx: Writer, ids: readonly string[], before: Cutoff): Promise<Dropped[]> {
  const dropped = await tx
    .updateTable("blob")
    .set({ state: "dropped" })
    .where("id", "in", ids)
    .where("refs", "=", 0)
    .where("idle_since", "<", before)
    .where("state", "<>", "dropped")
    .returning(["id", "size", "place", "sha256"])
    .execute();
  for (const { id, place } of dropped) if (place === "parts") await dropParts(tx, id, before);
  const inline = dropped.filter(({ place }) => place === "inline").map(({ id }) => id);
  if (inline.length > 0) await tx.deleteFrom("blob_data").where("id", "in", inline).execute();
  await forget(
    tx,
    dropped.filter(({ place }) => place !== "driver").map(({ id }) => id),
  );
  return dropped;
}

/** Removes the references to the parts. A part without other references counts as idle long enough, so the next step deletes it. */
async function dropParts(tx: Writer, id: string, before: Cutoff): Promise<void> {
  await tx
    .updateTable("blob")
    .set({ refs: sql`refs - 1`, idle_since: sql`case when refs = 1 then cast(${before - 1} as bigint) end` })
    .where("id", "in", (eb) => eb.selectFrom("blob_part").select("part_id").where("blob_id", "=", id))
    .execute();
  await tx.deleteFrom("blob_part").where("blob_id", "=", id).execute();
}

async function deleteDropped({ metadata, driver, pins }: CollectorParts): Promise<void> {
  let after: DroppedRow | undefined;
  do {
    const page = await droppedPage(metadata, driver.storeId, after);
    const free = page.filter(({ id }) => !pins.has(id));
    const deleted = await driver.delete(free.map(({ id, sha256 }) => ({ id, complete: sha256 !== null })));
    if (deleted.length > 0) await metadata.write((tx) => forget(tx, deleted));
    after = page.length < BATCH ? undefined : page.at(-1);
  } while (after !== undefined);
}

interface DroppedRow {
  readonly id: string;
  readonly sha256: string | null;
  readonly idle_since: number | null;
}

/** Reads by the index of idle blobs, because most blobs are in use. */
async function droppedPage(
  metadata: MetadataStore,
  storeId: string,
  after: DroppedRow | undefined,
): Promise<DroppedRow[]> {
  const since = after?.idle_since ?? 0;
  return metadata.read
    .selectFrom("blob")
    .select(["id", "sha256", "idle_since"])
    .where("idle_since", ">=", since)
    .where((eb) => eb.or([eb("idle_since", ">", since), eb("id", ">", after?.id ?? "")]))
    .where("state", "=", "dropped")
    .where("store_id", "=", storeId)
    .orderBy("idle_since")
    .orderBy("id")
    .limit(BATCH)
    .execute();
}

/** Marks unfinished writes of earlier processes without a grace period. Only for a store with a single server. */
export async function giveUpWrites({ metadata, driver, clock, graceMs }: CollectorParts): Promise<void> {
  await metadata.write(async (tx) => {
    await tx
      .updateTable("blob")
      .set({ idle_since: clock.nowMs() - graceMs - 1 })
      .where("state", "=", "writing")
      .where("idle_since", "is not", null)
      .where("store_id", "=", driver.storeId)
      .execute();
  });
}

/** Makes the collector delete the unreferenced blobs of an organization without a grace period. Blobs in use here stay. */
export async function ageBlobs({ metadata, clock, graceMs }: CollectorParts, orgId: string): Promise<void> {
  const nowMs = clock.deletionTime("content");
  if (nowMs === null) return;
  await metadata.write(async (tx) => {
    await tx
      .updateTable("blob")
      .set({ idle_since: nowMs - graceMs - 1 })
      .where("org_id", "=", orgId)
      .where("refs", "=", 0)
      .where("state", "<>", "dropped")
      .execute();
  });
}

/** Counts the blobs of an organization that this store has. */
export async function countBlobs({ metadata, driver }: CollectorParts, orgId: string): Promise<number> {
  const row = await metadata.read
    .selectFrom("blob")
    .select((eb) => eb.fn.countAll().as("count"))
    .where("org_id", "=", orgId)
    .where("store_id", "in", ["", driver.storeId])
    .executeTakeFirst();
  return Number(row?.count ?? 0);
}
