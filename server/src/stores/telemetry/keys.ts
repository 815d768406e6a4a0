import { IDEMPOTENCY_WINDOW_MS } from "#kernel/limits.ts";
import { Problem } from "#kernel/problem.ts";
import type { GuardedClock } from "#kernel/deletions.ts";
import type { Appended, Batch } from "./types.ts";
import type { FrameMeta } from "./log/frame.ts";
import type { StoredKey } from "./manifest.ts";

interface KnownKey {
  readonly bodyHash: string;
  readonly accepted: number;
  readonly at: number;
}

export interface KeysOptions {
  readonly clock: GuardedClock;
  /** Finds a key whose batch the log no longer has. */
  readonly find: (orgId: string, type: string, keyHash: string) => Promise<KnownKey | undefined>;
}

/**
 * The keys of the batches that are stored only once: `Idempotency-Key`s of the last 24 hours, and digests of bodies of
 * the last 15 minutes. They are in memory while the log has their batch, and later in the metadata
 * store.
 */
export class Keys {
  readonly #options: KeysOptions;
  readonly #ofLog = new Map<string, StoredKey & { readonly seq: number }>();
  readonly #running = new Map<string, Promise<void>>();

  constructor(options: KeysOptions) {
    this.#options = options;
  }

  /** Stores the key of a batch that is in the log. */
  remember(seq: number, meta: FrameMeta): void {
    const { orgId, type, keyHash, bodyHash, count } = meta;
    // A key with a shorter window counts as older, so one rule decides about the age of all keys.
    const at = meta.at - IDEMPOTENCY_WINDOW_MS + (meta.windowMs ?? IDEMPOTENCY_WINDOW_MS);
    if (keyHash === undefined || bodyHash === undefined || this.#mayForget(at)) return;
    this.#ofLog.set(keyName(orgId, type, keyHash), { orgId, type, keyHash, bodyHash, accepted: count, at, seq });
  }

  /**
   * Runs `write` unless the key was already used for the same body. A second batch with the same key waits for the first
   * one. It is written only if the first one failed.
   * @throws Problem `idempotency_key_reused`, or the error of `write`
   */
  async once(batch: Batch, write: () => Promise<void>): Promise<Appended> {
    if (batch.idempotency === undefined) throw new Error("a batch must have an idempotency key");
    const { keyHash, bodyHash } = batch.idempotency;
    const name = keyName(batch.orgId, batch.type, keyHash);
    for (let other = this.#running.get(name); other !== undefined; other = this.#running.get(name)) await other;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#running.set(name, promise);
    try {
      const known = await this.#find(name, batch, keyHash);
      if (known === undefined) {
        await write();
        return { accepted: batch.count, replayed: false };
      }
      if (known.bodyHash !== bodyHash) throw reused();
      return { accepted: known.accepted, replayed: true };
    } finally {
      this.#running.delete(name);
      resolve();
    }
  }

  /** Returns the keys that are stored only in segments of the log up to `seq`. */
  upTo(seq: number): StoredKey[] {
    return [...this.#ofLog.values()].filter((key) => key.seq <= seq && !this.#mayForget(key.at));
  }

  forgetUpTo(seq: number): void {
    for (const [name, key] of this.#ofLog) {
      if (key.seq <= seq) this.#ofLog.delete(name);
    }
  }

  async #find(name: string, batch: Batch, keyHash: string): Promise<KnownKey | undefined> {
    const known = this.#ofLog.get(name) ?? (await this.#options.find(batch.orgId, batch.type, keyHash));
    return known === undefined || this.#isExpired(known.at) ? undefined : known;
  }

  /** Returns whether a key is too old to be saved before its segment of the log is deleted. */
  #mayForget(at: number): boolean {
    return this.#isExpired(at) && this.#options.clock.isTrusted();
  }

  #isExpired(at: number): boolean {
    return at < this.#options.clock.nowMs() - IDEMPOTENCY_WINDOW_MS;
  }
}

function keyName(orgId: string, type: string, keyHash: string): string {
  return `${orgId}/${type}/${keyHash}`;
}

function reused(): Problem {
  const detail =
    "cannot take the entries: this Idempotency-Key was used for another body within 24 hours; use a new key";
  return new Problem("idempotency_key_reused", detail);
}
