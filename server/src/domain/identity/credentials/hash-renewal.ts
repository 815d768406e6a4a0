import type { KeyedHash } from "#domain/identity/keys/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { replaceHash } from "./store.ts";

/** Stores the hash of a secret under the current lookup key. */
export type RenewHash = (secret: { readonly id: string; readonly hash: Buffer }, to: KeyedHash) => void;

export function hashRenewal(deps: {
  readonly metadata: MetadataStore;
  readonly log: { warn(fields: object, message: string): void };
}): RenewHash {
  const renewed = new WeakSet<object>();
  return (secret, to) => {
    if (renewed.has(secret)) return;
    renewed.add(secret);
    const columns = { hash: to.hash.toString("hex"), hash_key: to.key };
    deps.metadata
      .write((tx) => replaceHash(tx, { id: secret.id, hash: secret.hash.toString("hex") }, columns))
      .catch((error: unknown) => deps.log.warn({ err: error }, "cannot renew the hash of a secret"));
  };
}
