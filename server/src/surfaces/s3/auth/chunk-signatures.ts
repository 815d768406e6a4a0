import type { KeyObject } from "node:crypto";
import type { ChunkSigner } from "../wire/aws-chunked.ts";
import { EMPTY_SHA256, equalInConstantTime, scopeText, signatureOf, type Scope } from "./signature-v4.ts";

/** The start of the signature chain of a streaming body. */
export interface StreamingContext {
  readonly key: Uint8Array | KeyObject;
  /** In the form of `x-amz-date`. */
  readonly date: string;
  readonly scope: Scope;
  /** Signature of the request itself. */
  readonly seed: string;
}

/** Signatures of chunks and trailers ("Signature Calculations for the Authorization Header: Transferring Payload in Multiple Chunks"). */
export function chunkSigner({ key, date, scope, seed }: StreamingContext): ChunkSigner {
  let previous = seed;
  const isNext = (algorithm: string, digests: readonly string[], signature: string): boolean => {
    const text = [`AWS4-HMAC-SHA256-${algorithm}`, date, scopeText(scope), previous, ...digests].join("\n");
    previous = signatureOf(key, text);
    return equalInConstantTime(signature, previous);
  };
  return {
    chunk: (sha256, signature) => isNext("PAYLOAD", [EMPTY_SHA256, sha256], signature),
    trailer: (sha256, signature) => isNext("TRAILER", [sha256], signature),
  };
}
