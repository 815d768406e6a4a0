import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { appendAudit } from "#domain/audit/index.ts";
import type { Writer } from "#stores/metadata/index.ts";
import type { Seals } from "./envelope.ts";
import { RING_NEWS_MS } from "./keyring.ts";
import { awaitNodes, namesOf } from "./nodes.ts";
import { isRotated, KEY_PLACES, lifetimeMsOf } from "./purposes.ts";
import { announce, RotationHeld, type RotationDeps } from "./rotate-master.ts";
import {
  countHashes,
  deleteRotation,
  insertKeys,
  insertRotation,
  keyRows,
  rotationRow,
  setKey,
  setRotation,
  type KeyRow,
  type RotationRow,
} from "./ring-store.ts";
import { nameOfRow, SEALED_COLUMNS, sealedAgain, type Row, type SealedColumn } from "./sealed/columns.ts";
import { oldValues, replaceValue } from "./sealed/store.ts";

export interface DataRotationDeps extends RotationDeps {
  readonly envelope: Seals;
  /** What the former mac keys authenticated is void at once. */
  readonly leaked: boolean;
  /** `KEY_SETTLE_MS`; tests wait less. */
  readonly settleMs: number;
  readonly signal?: AbortSignal | undefined;
}

export interface DataRotation {
  /** Values that were sealed again by this call. */
  readonly sealed: number;
  /** Values that can't be opened, so they keep their key. */
  readonly damaged: readonly string[];
}

/** Values in one transaction: a writer waits for at most this many. */
const BATCH = 100;
/** A new key is used this long after all nodes have it; see `RING_NEWS_MS`. */
export const KEY_SETTLE_MS = 2 * RING_NEWS_MS;

/**
 * Replaces every key of the ring: adds new keys, waits until all nodes have them, makes them current, and seals every
 * value again. Another call continues where the last one stopped.
 * @throws RotationHeld
 */
export async function rotateData(deps: DataRotationDeps): Promise<DataRotation> {
  let rotation = await begin(deps);
  if (rotation.step === "added") {
    deps.say("the new keys are stored; waiting until every node has them");
    await delay(deps.settleMs, undefined, { signal: deps.signal });
    await requireRing(deps);
    rotation = await makeCurrent(deps, rotation);
  }
  if (deps.leaked && rotation.leaked === 0) rotation = await endFormerMacs(deps, rotation);
  await requireRing(deps);
  deps.say("the new keys are in use; sealing every value again");
  const done = await sealAll(deps);
  await finish(deps, rotation);
  return done;
}

async function begin(deps: DataRotationDeps): Promise<RotationRow> {
  const { metadata, ring, clock, leaked } = deps;
  const next = await ring.make(KEY_PLACES.filter(isRotated), "next");
  return metadata.write(async (tx) => {
    await metadata.lock(tx, "key");
    const present = await rotationRow(tx);
    if (present?.kind === "master")
      throw new RotationHeld("cannot rotate the keys: run mooring master-key rotate to its end first, or cancel it");
    if (present !== undefined) return present;
    const master_id = (await keyRows(tx))[0]?.master_id ?? "";
    if (master_id !== next[0]?.master_id) throw replaced();
    const rotation = {
      kind: "data",
      nonce: randomUUID(),
      step: "added",
      master_id,
      leaked: leaked ? 1 : 0,
      started_at: clock.nowMs(),
    } as const;
    await insertRotation(tx, rotation);
    await insertKeys(tx, next);
    await announce(deps, tx, rotation.nonce);
    return rotation;
  });
}

/** Waits until every live node has loaded the keys as they are now. */
async function requireRing(deps: DataRotationDeps): Promise<void> {
  await deps.ring.renew();
  const { digest } = deps.ring;
  const behind = await awaitNodes(deps, (node) => node.ring === digest);
  if (behind.length > 0)
    throw new RotationHeld(
      `cannot continue: ${namesOf(behind)} did not load the keys of the last step. Their logs say why. Nothing is lost: run this command again.`,
    );
}

async function makeCurrent(deps: DataRotationDeps, rotation: RotationRow): Promise<RotationRow> {
  const { metadata, clock, actor } = deps;
  return metadata.write(async (tx) => {
    await metadata.lock(tx, "key");
    const now = await rotationRow(tx);
    if (now?.nonce === rotation.nonce && now.step === "current") return now;
    if (!(await setRotation(tx, rotation, { step: "current" }))) throw replaced();
    const rows = await keyRows(tx);
    await retireLookups(tx, rows, clock.nowMs());
    if (rotation.leaked === 1) await endMacs(tx, rows, clock.nowMs());
    for (const next of rows.filter((row) => row.state === "next")) {
      const former = rows.find(
        (row) => row.state === "current" && row.use === next.use && row.purpose === next.purpose,
      );
      if (former !== undefined) await setKey(tx, former.id, formerly(former, clock.nowMs(), rotation.leaked === 1));
      await setKey(tx, next.id, { state: "current" });
    }
    await announce(deps, tx, rotation.nonce);
    const target = { kind: "key_ring", id: rotation.nonce };
    const detail = { leaked: rotation.leaked === 1 };
    await appendAudit(deps, tx, { orgId: null, actor, action: "key_ring.rotate", target, result: "success", detail });
    return { ...rotation, step: "current" };
  });
}

/** Ends every former mac key, also those of earlier rotations: a thief of the ring has all of them. */
async function endMacs(tx: Writer, rows: readonly KeyRow[], nowMs: number): Promise<void> {
  for (const row of rows)
    if (row.use === "mac" && row.state === "previous" && (row.retire_at ?? Infinity) > nowMs)
      await setKey(tx, row.id, { retire_at: nowMs });
}

/** Retires the lookup keys of earlier rotations that no row names any more. */
async function retireLookups(tx: Writer, rows: readonly KeyRow[], nowMs: number): Promise<void> {
  for (const row of rows)
    if (row.use === "lookup" && row.state === "previous" && (await countHashes(tx, row)) === 0)
      await setKey(tx, row.id, { state: "retired", retire_at: nowMs });
}

function formerly(row: KeyRow, nowMs: number, leaked: boolean): Pick<KeyRow, "state" | "retire_at"> {
  const lifetimeMs = lifetimeMsOf(row);
  if (lifetimeMs === null) return { state: "previous", retire_at: null };
  return { state: "previous", retire_at: leaked ? nowMs : nowMs + lifetimeMs };
}

/** The rotation is under way, and it turns out that the keys were stolen. */
async function endFormerMacs(deps: DataRotationDeps, rotation: RotationRow): Promise<RotationRow> {
  const { metadata, clock, actor } = deps;
  return metadata.write(async (tx) => {
    await metadata.lock(tx, "key");
    if (!(await setRotation(tx, rotation, { leaked: 1 }))) throw replaced();
    await endMacs(tx, await keyRows(tx), clock.nowMs());
    await announce(deps, tx, rotation.nonce);
    const target = { kind: "key_ring", id: rotation.nonce };
    const detail = { leaked: true };
    await appendAudit(deps, tx, { orgId: null, actor, action: "key_ring.rotate", target, result: "success", detail });
    return { ...rotation, leaked: 1 };
  });
}

/** Repeats until two passes in a row find nothing to do, because a node may seal with an old ring until it reads it. */
async function sealAll(deps: DataRotationDeps): Promise<DataRotation> {
  let sealed = 0;
  let damaged: string[] = [];
  for (let idle = 0; idle < 2;) {
    if (sealed > 0 || idle > 0) await delay(deps.settleMs, undefined, { signal: deps.signal });
    damaged = [];
    let count = 0;
    for (const column of SEALED_COLUMNS) count += await sealColumn(deps, column, damaged);
    sealed += count;
    idle = count === 0 ? idle + 1 : 0;
  }
  return { sealed, damaged };
}

/** Seals the values of a column again, in pieces and with pauses, so that the server's writers get their turns. */
async function sealColumn(deps: DataRotationDeps, column: SealedColumn, damaged: string[]): Promise<number> {
  const { metadata, ring, signal } = deps;
  const keyId = ring.shelf("wrap", column.purpose).current.id;
  let count = 0;
  let rows: Row[];
  let after: Row | undefined;
  do {
    signal?.throwIfAborted();
    const startedAt = performance.now();
    rows = await oldValues(metadata, column, keyId, { after, limit: BATCH });
    if (rows.length === 0) break;
    const batch = { column, rows, damaged };
    count += await metadata.write((tx) => sealRows(deps, tx, batch));
    after = rows.at(-1);
    await delay(performance.now() - startedAt, undefined, { signal });
  } while (rows.length === BATCH);
  return count;
}

async function sealRows(
  { envelope }: DataRotationDeps,
  tx: Writer,
  { column, rows, damaged }: { column: SealedColumn; rows: readonly Row[]; damaged: string[] },
): Promise<number> {
  let count = 0;
  for (const row of rows) {
    let made: unknown;
    try {
      made = sealedAgain(envelope, column, row);
    } catch {
      const name = nameOfRow(column, row);
      if (!damaged.includes(name)) damaged.push(name);
      continue;
    }
    if (await replaceValue(tx, column, row, made)) count += 1;
  }
  return count;
}

async function finish(deps: DataRotationDeps, { nonce }: RotationRow): Promise<void> {
  const { metadata, clock } = deps;
  await metadata.write(async (tx) => {
    await metadata.lock(tx, "key");
    if (!(await deleteRotation(tx, nonce))) throw replaced();
    const nowMs = clock.nowMs();
    for (const row of await keyRows(tx)) {
      if (row.state !== "previous" || !isOver(row, nowMs)) continue;
      await setKey(tx, row.id, { state: "retired", retire_at: row.retire_at ?? nowMs });
    }
    await announce(deps, tx, nonce);
  });
}

/**
 * A retired wrap key stays in the ring: an upload that began before the rotation may end after it. No value is sealed
 * with it any more.
 */
function isOver(row: KeyRow, nowMs: number): boolean {
  if (row.use === "wrap") return true;
  if (row.use === "mac") return row.retire_at !== null && row.retire_at <= nowMs;
  return false;
}

function replaced(): RotationHeld {
  return new RotationHeld("cannot rotate: another command has changed the keys meanwhile. Run this command again.");
}
