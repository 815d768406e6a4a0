import type { Hash } from "node:crypto";
import { hasher, type ContentAlgorithm } from "./digest.ts";

/** About 1 kB each. */
const UPLOADS_MAX = 2000;

interface Running {
  readonly hash: Hash;
  readonly algorithm: ContentAlgorithm;
  bytes: number;
}

/**
 * Digests of uploads that come in several requests, of the bytes so far. They exist only in this process, and only save
 * time: without one, the upload is read again at its end.
 */
export class RunningDigests {
  readonly #running = new Map<string, Running>();

  /**
   * Returns a function to call with every byte from `start` on. Undefined if the digest of the bytes before is unknown
   * here.
   */
  from(id: string, algorithm: ContentAlgorithm, start: number): ((chunk: Uint8Array) => void) | undefined {
    const known = this.#running.get(id);
    if (start > 0 && known?.bytes !== start) {
      this.#running.delete(id);
      return undefined;
    }
    const running = start === 0 ? { hash: hasher(algorithm), algorithm, bytes: 0 } : known;
    if (running === undefined) return undefined;
    this.#running.delete(id);
    this.#running.set(id, running);
    this.#forgetOldest();
    return (chunk) => {
      running.hash.update(chunk);
      running.bytes += chunk.length;
    };
  }

  /** Returns the digest in hexadecimal. Undefined if the digest of exactly this many bytes is unknown. */
  of(id: string, algorithm: ContentAlgorithm, bytes: number): string | undefined {
    const running = this.#running.get(id);
    if (running?.bytes !== bytes || running.algorithm !== algorithm) return undefined;
    return running.hash.copy().digest("hex");
  }

  forget(id: string): void {
    this.#running.delete(id);
  }

  #forgetOldest(): void {
    if (this.#running.size <= UPLOADS_MAX) return;
    const oldest = this.#running.keys().next();
    if (oldest.done !== true) this.#running.delete(oldest.value);
  }
}
