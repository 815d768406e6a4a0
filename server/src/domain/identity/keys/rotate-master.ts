import { randomUUID } from "node:crypto";
import { appendAudit, type AuditEvent } from "#domain/audit/index.ts";
import { appendAuthChange } from "#domain/identity/changes/index.ts";
import type { MetadataStore, Writer } from "#stores/metadata/index.ts";
import type { KeyRing } from "./keyring.ts";
import { newMasterKey, presentMasterKeys, writeKeyFile, type MasterKey } from "./master-key.ts";
import { awaitNodes, namesOf, nodesWithout, type NodesDeps } from "./nodes.ts";
import {
  deleteRotation,
  insertRotation,
  keyRows,
  rotationRow,
  setKey,
  type KeyRow,
  type NodeKeys,
  type RotationRow,
} from "./ring-store.ts";

export interface RotationDeps extends NodesDeps {
  readonly ring: KeyRing;
  /** The directory of `master.key`. */
  readonly dataDir: string;
  /** Whether the keys come from settings or a service, so that this process can't create one. */
  readonly isExternal: boolean;
  readonly actor: AuditEvent["actor"];
  readonly say: (line: string) => void;
}

/** The rotation can't continue now. The message names the remedy; a second try continues. */
export class RotationHeld extends Error {
  constructor(message: string) {
    super(message);
    this.name = "RotationHeld";
  }
}

/**
 * Wraps the key ring with a new master key. First every live node gets the new key beside the old one. Then one
 * transaction wraps all keys again. Each step can be repeated: another call continues where the last one stopped.
 * @throws RotationHeld
 */
export async function rotateMaster(deps: RotationDeps): Promise<{ from: string; to: string }> {
  const from = deps.ring.masterId;
  const { rotation, seq } = await begin(deps);
  const to = rotation.master_id;
  await deps.ring.masters.refresh();
  deps.say(`master key ${to} is on this node; waiting for the others`);
  const isReady = (node: NodeKeys): boolean =>
    node.appliedSeq >= seq && [from, to].every((id) => node.masterIds.includes(id));
  requireNodes(await awaitNodes(deps, isReady), to);
  await commit(deps, rotation, isReady);
  await deps.ring.renew();
  return { from, to };
}

function requireNodes(behind: readonly NodeKeys[], to: string): void {
  if (behind.length === 0) return;
  throw new RotationHeld(
    `cannot rotate the master key: ${namesOf(behind)} did not report master key ${to} beside the current one. Nothing was changed yet. ` +
      "Copy master.key of this node to them, or set master_key and master_key_previous there and restart them. Then run this command again.",
  );
}

/** Chooses the new key, writes it to the file, and notes the rotation. */
async function begin(deps: RotationDeps): Promise<{ rotation: RotationRow; seq: number }> {
  const { metadata, ring } = deps;
  await ring.masters.refresh();
  const fresh = newMasterKey(); // outside of the transaction, which may run twice
  return metadata.write(async (tx) => {
    await metadata.lock(tx, "key");
    const present = await rotationRow(tx);
    if (present?.kind === "data")
      throw new RotationHeld("cannot rotate the master key: run mooring master-key rotate --data to its end first");
    const rotation = present ?? (await newRotation(deps, tx, fresh));
    if (!ring.masters.ids().includes(rotation.master_id) && rotation.master_id !== fresh.id)
      throw new RotationHeld(
        `cannot rotate the master key: the rotation to master key ${rotation.master_id} began on another node, and this node does not have that key. ` +
          "Continue there, or give that rotation up with mooring master-key cancel.",
      );
    const seq = await announce(deps, tx, rotation.master_id);
    return { rotation, seq };
  });
}

async function newRotation(deps: RotationDeps, tx: Writer, fresh: MasterKey): Promise<RotationRow> {
  const { ring, clock, dataDir, isExternal } = deps;
  const [first = ""] = ring.masters.ids();
  const inUse = (await keyRows(tx))[0]?.master_id;
  if (first === inUse && isExternal)
    throw new RotationHeld(
      `cannot rotate the master key: master key ${first} is already in use. On every node set master_key to a new key and master_key_previous to the ` +
        "current one and restart it, or rotate the key of master_key_command. Then run this command again.",
    );
  const master_id = first === inUse ? fresh.id : first;
  // Under the lock of the transaction, so that two commands never write the file at the same time. A crash before the
  // commit leaves a file with both keys, and the next try takes the first one.
  if (master_id === fresh.id) await writeKeyFile(dataDir, [fresh, ...(await presentMasterKeys({ dataDir }))]);
  const rotation = {
    kind: "master",
    nonce: randomUUID(),
    step: "begun",
    master_id,
    leaked: 0,
    started_at: clock.nowMs(),
  } as const;
  await insertRotation(tx, rotation);
  return rotation;
}

async function commit(
  deps: RotationDeps,
  { nonce, master_id: to }: RotationRow,
  isReady: (node: NodeKeys) => boolean,
): Promise<void> {
  const { metadata, ring, clock, actor } = deps;
  await ring.masters.refresh(); // the new key must still be in the file
  const rows = await keyRows(metadata.read);
  const wrapped = await ring.rewrap(rows, to);
  await metadata.write(async (tx) => {
    await metadata.lock(tx, "key");
    requireSame(await keyRows(tx), rows);
    if (!(await deleteRotation(tx, nonce))) throw replaced();
    requireNodes(await nodesWithout(tx, clock, isReady), to);
    for (const each of wrapped) await setKey(tx, each.id, { master_id: to, wrapped: each.wrapped });
    await announce(deps, tx, to);
    const target = { kind: "master_key", id: to };
    await appendAudit(deps, tx, { orgId: null, actor, action: "master_key.rotate", target, result: "success" });
  });
}

function requireSame(now: readonly KeyRow[], before: readonly KeyRow[]): void {
  const textOf = (rows: readonly KeyRow[]): string => rows.map((row) => `${row.id} ${row.master_id}`).join();
  if (textOf(now) !== textOf(before)) throw replaced();
}

function replaced(): RotationHeld {
  return new RotationHeld("cannot rotate: another command has changed the keys meanwhile. Run this command again.");
}

/** Makes every node read the key ring and its master keys again. */
export function announce(
  deps: { readonly metadata: Pick<MetadataStore, "lock" | "notify">; readonly clock: NodesDeps["clock"] },
  tx: Writer,
  subject: string,
): Promise<number> {
  return appendAuthChange(deps, tx, { kind: "key", subject });
}

/** Gives up a rotation whose last transaction did not run. Returns false if there is none. */
export async function cancelRotation(deps: RotationDeps): Promise<boolean> {
  const { metadata, dataDir, isExternal } = deps;
  return metadata.write(async (tx) => {
    await metadata.lock(tx, "key");
    const rotation = await rotationRow(tx);
    if (rotation === undefined) return false;
    if (rotation.kind === "data")
      throw new RotationHeld(
        "cannot give up: some values have new keys already. Run mooring master-key rotate --data again.",
      );
    await deleteRotation(tx, rotation.nonce);
    const keys = isExternal ? [] : await presentMasterKeys({ dataDir });
    const left = keys.filter((key) => key.id !== rotation.master_id);
    if (left.length > 0 && left.length < keys.length) await writeKeyFile(dataDir, left);
    await announce(deps, tx, rotation.master_id);
    return true;
  });
}
