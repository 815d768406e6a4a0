import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { crc32c, Crc64Nvme } from "./crc.ts";

/** Digests that can be computed while a blob is written. */
export const DIGEST_ALGORITHMS = ["md5", "sha1", "sha256", "sha512", "crc32", "crc32c", "crc64nvme"] as const;
export type DigestAlgorithm = (typeof DIGEST_ALGORITHMS)[number];

/** In lower-case hexadecimal. Checksums have their most significant byte first. */
export type Digests = Readonly<Partial<Record<DigestAlgorithm, string>>>;

/** A digest being computed. */
interface Digest {
  update(chunk: Uint8Array): void;
  /** Call it once, at the end. */
  hex(): string;
}

const MAKE: Readonly<Record<DigestAlgorithm, () => Digest>> = {
  md5: () => cryptographic("md5"),
  sha1: () => cryptographic("sha1"),
  sha256: () => cryptographic("sha256"),
  sha512: () => cryptographic("sha512"),
  crc32: () => checksum(crc32),
  crc32c: () => checksum(crc32c),
  crc64nvme: () => new Crc64Nvme(),
};

/** Computes several digests of the same bytes. */
export class Digester {
  readonly #digests: ReadonlyMap<DigestAlgorithm, Digest>;

  constructor(algorithms: Iterable<DigestAlgorithm>) {
    this.#digests = new Map([...new Set(algorithms)].map((algorithm) => [algorithm, MAKE[algorithm]()]));
  }

  update(chunk: Uint8Array): void {
    for (const digest of this.#digests.values()) digest.update(chunk);
  }

  /** Call it once, at the end. */
  finish(): Digests {
    return Object.fromEntries([...this.#digests].map(([algorithm, digest]) => [algorithm, digest.hex()]));
  }
}

function cryptographic(name: string): Digest {
  const hash = createHash(name);
  return { update: (chunk) => void hash.update(chunk), hex: () => hash.digest("hex") };
}

function checksum(next: (chunk: Uint8Array, previous: number) => number): Digest {
  let value = 0;
  return {
    update: (chunk) => void (value = next(chunk, value)),
    hex: () => value.toString(16).padStart(8, "0"),
  };
}
