import { createHash, type Hash } from "node:crypto";

/** The supported algorithms of the image specification. */
export type ContentAlgorithm = "sha256" | "sha512";

/** A digest of the image specification: `sha256:` or `sha512:` and lower-case hexadecimal. */
export interface ContentDigest {
  readonly algorithm: ContentAlgorithm;
  readonly hex: string;
  /** The full text. */
  readonly text: string;
}

const DIGEST = /^(?:(sha256):([a-f0-9]{64})|(sha512):([a-f0-9]{128}))$/;

/** Returns undefined if the text is not a digest, or has an algorithm that is not supported. */
export function parseDigest(text: string): ContentDigest | undefined {
  const [, short, shortHex, long, longHex] = DIGEST.exec(text) ?? [];
  if (short === "sha256" && shortHex !== undefined) return { algorithm: short, hex: shortHex, text };
  if (long === "sha512" && longHex !== undefined) return { algorithm: long, hex: longHex, text };
  return undefined;
}

export function isAlgorithm(text: string): text is ContentAlgorithm {
  return text === "sha256" || text === "sha512";
}

export function digestOf(algorithm: ContentAlgorithm, data: Uint8Array): ContentDigest {
  const hex = hasher(algorithm).update(data).digest("hex");
  return { algorithm, hex, text: `${algorithm}:${hex}` };
}

export function hasher(algorithm: ContentAlgorithm): Hash {
  return createHash(algorithm);
}
