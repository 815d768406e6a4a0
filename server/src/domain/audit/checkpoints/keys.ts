import { createPrivateKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { newId } from "#kernel/ids.ts";
import type { Clock } from "#kernel/time.ts";
import type { MetadataStore, Tables, Writer } from "#stores/metadata/index.ts";
import type { NoteSigner } from "./note.ts";

interface Place {
  readonly table: "checkpoint_key";
  readonly id: string;
  readonly purpose: "signing-key";
  readonly version: number;
}

export interface CheckpointKeysDeps {
  readonly metadata: MetadataStore;
  readonly clock: Clock;
  readonly envelope: {
    seal(place: Place, plain: Uint8Array): Uint8Array;
    open(place: Place, sealed: Uint8Array): Buffer;
  };
}

const DAY_MS = 86_400_000;
/** A new key is made after this time. */
const ROTATED_AFTER_MS = 365 * DAY_MS;
/** The former key signs, too, for this time. So receivers can take the new key from notes that they can verify. */
const SIGNS_ALONG_MS = 90 * DAY_MS;
const RAW_KEY_BYTES = 32;

type KeyRow = Tables["checkpoint_key"];

/** Returns the keys that sign checkpoints now, the newest first. Creates a key if there is none, or it is too old. */
export async function checkpointSigners(deps: CheckpointKeysDeps, name: string): Promise<NoteSigner[]> {
  const nowMs = deps.clock.nowMs();
  let rows = await rowsOf(deps.metadata.read, nowMs);
  if (isOld(rows[0], nowMs)) {
    await deps.metadata.write((tx) => rotate(deps, tx));
    rows = await rowsOf(deps.metadata.read, nowMs);
  }
  return rows.map((row) => ({
    name,
    publicKey: Buffer.from(row.public_key, "base64"),
    privateKey: privateKeyOf(deps, row),
  }));
}

function isOld(row: KeyRow | undefined, nowMs: number): boolean {
  return row === undefined || nowMs - row.created_at >= ROTATED_AFTER_MS;
}

async function rowsOf(db: MetadataStore["read"] | Writer, nowMs: number): Promise<KeyRow[]> {
  return db
    .selectFrom("checkpoint_key")
    .selectAll()
    .where((eb) => eb.or([eb("retired_at", "is", null), eb("retired_at", ">", nowMs)]))
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .execute();
}

async function rotate(deps: CheckpointKeysDeps, tx: Writer): Promise<void> {
  await deps.metadata.lock(tx, "checkpoint-keys");
  const nowMs = deps.clock.nowMs();
  const [newest] = await rowsOf(tx, nowMs);
  if (!isOld(newest, nowMs)) return; // Another node was first.
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const id = newId("key", nowMs);
  const pkcs8 = privateKey.export({ format: "der", type: "pkcs8" });
  await tx
    .updateTable("checkpoint_key")
    .set({ retired_at: nowMs + SIGNS_ALONG_MS })
    .where("retired_at", "is", null)
    .execute();
  await tx
    .insertInto("checkpoint_key")
    .values({
      id,
      public_key: publicKey.export({ format: "der", type: "spki" }).subarray(-RAW_KEY_BYTES).toString("base64"),
      private_key: deps.envelope.seal(placeOf(id), pkcs8),
      created_at: nowMs,
      retired_at: null,
    })
    .execute();
}

function placeOf(id: string): Place {
  return { table: "checkpoint_key", id, purpose: "signing-key", version: 1 };
}

function privateKeyOf({ envelope }: CheckpointKeysDeps, { id, private_key: sealed }: KeyRow): KeyObject {
  return createPrivateKey({ key: envelope.open(placeOf(id), sealed), format: "der", type: "pkcs8" });
}
