import { createHash } from "node:crypto";

/** Returns SHA-256 as 64 lower-case hexadecimal characters. */
export function sha256Hex(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}
