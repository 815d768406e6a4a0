import type { Writer } from "#stores/metadata/index.ts";
import type { KeyRing } from "./keyring.ts";
import { LOOKUP_PURPOSES, type LookupPurpose } from "./purposes.ts";
import { insertKeys, keyRows, type KeyRow } from "./ring-store.ts";

/** A lookup key that moves to another server, so that secrets keep their hashes there. */
export interface MovedLookup {
  readonly id: string;
  readonly purpose: string;
  readonly bytes: Buffer;
}

const KEY_BYTES = 32;
const ID = /^[0-9a-f]{16}$/;
const MOVED = (Object.keys(LOOKUP_PURPOSES) as LookupPurpose[]).filter((purpose) => LOOKUP_PURPOSES[purpose].renewed);

/** Returns the lookup keys that hashes of secrets need. A leaked one is useless without the secrets. */
export function lookupsToMove(ring: KeyRing): MovedLookup[] {
  return MOVED.flatMap((purpose) =>
    ring
      .shelf("lookup", purpose)
      .all.filter(({ state }) => state !== "retired")
      .map(({ id, secret }) => ({ id, purpose, bytes: secret.export() })),
  );
}

/** Returns the key that a hash names. Hashes from before keys were stored name none. */
export function namedLookup(ring: KeyRing, purpose: string, id: string | null): string | null {
  return id ?? ring.shelf("lookup", purpose).derived?.id ?? null;
}

/** Wraps moved keys for this server. @throws Error when one is not a lookup key of secrets */
export async function adoptLookups(ring: KeyRing, keys: readonly MovedLookup[]): Promise<KeyRow[]> {
  for (const { id, purpose, bytes } of keys)
    if (!ID.test(id) || bytes.length !== KEY_BYTES || !MOVED.some((name) => name === purpose))
      throw new Error(`${JSON.stringify(id)} is not a lookup key`);
  return Promise.all(keys.map(({ id, purpose, bytes }) => ring.adopt({ use: "lookup", purpose }, id, bytes)));
}

/** Adds the keys that the ring does not have. An earlier import may have added them. */
export async function insertAdopted(tx: Writer, rows: readonly KeyRow[]): Promise<void> {
  const present = new Set((await keyRows(tx)).map(({ id }) => id));
  await insertKeys(
    tx,
    rows.filter(({ id }) => !present.has(id)),
  );
}
