import { Problem } from "#kernel/problem.ts";
import type { DigestAlgorithm } from "./digests.ts";

/** The content has more bytes than allowed. Nothing was stored. */
export class TooLarge extends Problem {
  readonly bytesMax: number;

  constructor(bytesMax: number) {
    super("body_too_large", `The content is larger than ${bytesMax} bytes, which is the limit here.`);
    this.bytesMax = bytesMax;
  }
}

/** The content has fewer or more bytes than announced. Nothing was stored. */
export class SizeMismatch extends Problem {
  readonly expected: number;

  constructor(expected: number, actual: string) {
    super("invalid_body", `The content has ${actual} bytes, but ${expected} were announced. Send it again.`);
    this.expected = expected;
  }
}

/** The content does not match an announced digest. Nothing was stored. */
export class DigestMismatch extends Problem {
  readonly algorithm: DigestAlgorithm;
  readonly expected: string;
  readonly actual: string;

  constructor(algorithm: DigestAlgorithm, expected: string, actual: string) {
    super("invalid_body", `The content's ${algorithm} is ${actual}, not ${expected} as announced. Send it again.`);
    this.algorithm = algorithm;
    this.expected = expected;
    this.actual = actual;
  }
}

/**
 * Stored bytes are missing or altered: a bug or a broken disk. Clients never see this error. `mooring scrub`
 * reports more.
 */
export class BlobDamaged extends Error {
  readonly blobId: string;

  constructor(blobId: string, cause: string, options?: ErrorOptions) {
    super(`cannot read blob ${blobId}: ${cause}; run mooring scrub to see what else is damaged`, options);
    this.name = "BlobDamaged";
    this.blobId = blobId;
  }
}

const DISK_FULL_CODES: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT"]);
const RETRY_AFTER_S = 5;

/**
 * Returns the answer to a client for a failure of the disk or of the upstream store. A `Problem` is returned unchanged.
 */
export function storageProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const isFull = DISK_FULL_CODES.has(codeOf(error));
  const detail = isFull
    ? "The disk is full, so nothing was stored. Send it again later."
    : "The storage can't be read or written now. Try again later.";
  const options = { retryAfterS: RETRY_AFTER_S, cause: error };
  return new Problem(isFull ? "disk_full" : "unavailable", detail, options);
}

export function codeOf(error: unknown): unknown {
  return error instanceof Error ? (error as { code?: unknown }).code : undefined;
}

export function ignoreAbsent(error: unknown): undefined {
  if (codeOf(error) !== "ENOENT") throw error;
  return undefined;
}
