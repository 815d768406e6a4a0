import { createHash, timingSafeEqual } from "node:crypto";

/** SHA-256 as 64 lower-case hexadecimal characters. */
export function sha256Hex(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}

/** Compares two digests of equal length in constant time; strings of other lengths are simply unequal. */
export function equalDigests(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}
