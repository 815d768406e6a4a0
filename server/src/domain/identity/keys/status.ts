import { appendAudit } from "#domain/audit/index.ts";
import type { KeyRing } from "./keyring.ts";
import { presentMasterKeys, writeKeyFile } from "./master-key.ts";
import { nodesWithout } from "./nodes.ts";
import { countHashes, keyRows, rotationRow, type NodeKeys, type RotationRow } from "./ring-store.ts";
import { announce, RotationHeld, type RotationDeps } from "./rotate-master.ts";
import { SEALED_COLUMNS } from "./sealed/columns.ts";
import { countOld } from "./sealed/store.ts";

export interface KeyStatus {
  readonly masterId: string;
  /** The master keys of this process. */
  readonly here: readonly string[];
  readonly nodes: readonly NodeKeys[];
  readonly rotation: Pick<RotationRow, "kind" | "step" | "master_id"> | null;
  /** The number of keys in each state. */
  readonly keys: Readonly<Record<string, number>>;
  /** Values that are not sealed under the current key, by table and column. */
  readonly oldValues: Readonly<Record<string, number>>;
  /** Hashes under former lookup keys, by purpose. They are renewed when their secret is used. */
  readonly oldHashes: Readonly<Record<string, number>>;
}

export async function keyStatus({
  metadata,
  clock,
  ring,
}: Pick<RotationDeps, "metadata" | "clock"> & { ring: KeyRing }): Promise<KeyStatus> {
  const { read, dialect } = metadata;
  const rows = await keyRows(read);
  const rotation = await rotationRow(read);
  const oldValues: Record<string, number> = {};
  for (const column of SEALED_COLUMNS) {
    const count = await countOld({ read, dialect }, column, ring.shelf("wrap", column.purpose).current.id);
    if (count > 0) oldValues[`${column.table}.${column.column}`] = count;
  }
  const oldHashes: Record<string, number> = {};
  for (const row of rows.filter((each) => each.use === "lookup" && each.state !== "current")) {
    const count = await countHashes(read, row);
    if (count > 0) oldHashes[row.purpose] = (oldHashes[row.purpose] ?? 0) + count;
  }
  const keys: Record<string, number> = {};
  for (const { state } of rows) keys[state] = (keys[state] ?? 0) + 1;
  return {
    masterId: rows[0]?.master_id ?? "",
    here: ring.masters.ids(),
    nodes: await nodesWithout(read, clock, () => false),
    rotation:
      rotation === undefined ? null : { kind: rotation.kind, step: rotation.step, master_id: rotation.master_id },
    keys,
    oldValues,
    oldHashes,
  };
}

/**
 * Removes an old master key from the file. Backups that name it can't be opened without a copy of it.
 * @throws RotationHeld if the key is in use, or is not in the file
 */
export async function forgetMasterKey(deps: RotationDeps, id: string): Promise<void> {
  const { metadata, dataDir, isExternal, actor } = deps;
  if (isExternal)
    throw new RotationHeld(
      "cannot forget the master key: it is not in master.key. Remove master_key_previous from the settings of every node.",
    );
  await metadata.write(async (tx) => {
    await metadata.lock(tx, "key");
    if ((await keyRows(tx)).some((row) => row.master_id === id))
      throw new RotationHeld(`cannot forget master key ${id}: it wraps the keys. Run mooring master-key rotate first.`);
    if ((await rotationRow(tx))?.master_id === id)
      throw new RotationHeld(
        `cannot forget master key ${id}: a rotation to it is under way. Run mooring master-key cancel first.`,
      );
    const keys = await presentMasterKeys({ dataDir });
    const left = keys.filter((key) => key.id !== id);
    if (left.length === keys.length) throw new RotationHeld(`cannot forget master key ${id}: it is not in master.key`);
    if (left.length === 0) throw new RotationHeld(`cannot forget master key ${id}: it is the only one`);
    await writeKeyFile(dataDir, left);
    await announce(deps, tx, id);
    const target = { kind: "master_key", id };
    await appendAudit(deps, tx, { orgId: null, actor, action: "master_key.forget", target, result: "success" });
  });
}
