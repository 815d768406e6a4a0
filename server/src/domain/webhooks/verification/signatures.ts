import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { decodeBase64, decodeHex } from "#kernel/decoding.ts";

type Algorithm = "sha1" | "sha256" | "sha512";

/** Whether one of the signatures matches the content and one of the secrets. The time depends only on the lengths. */
export function isSigned(
  content: readonly (string | Buffer)[],
  options: { readonly secrets: readonly (string | Buffer)[]; readonly algorithm: Algorithm },
  signatures: readonly Buffer[],
): boolean {
  let good = false;
  for (const secret of options.secrets) {
    const hmac = createHmac(options.algorithm, secret);
    for (const part of content) hmac.update(part);
    const expected = hmac.digest();
    for (const signature of signatures) {
      if (signature.length === expected.length && timingSafeEqual(signature, expected)) good = true;
    }
  }
  return good;
}

/** Compares texts in constant time. */
export function sameText(one: string, other: string): boolean {
  return timingSafeEqual(createHash("sha256").update(one).digest(), createHash("sha256").update(other).digest());
}

export function isOneOf(text: string, secrets: readonly string[]): boolean {
  return secrets.map((secret) => sameText(text, secret)).includes(true);
}

const EMPTY = Buffer.alloc(0);

/** Decodes a signature. Text with invalid characters gives no bytes, which never match a signature. */
export function bytesOf(text: string, encoding: "hex" | "base64"): Buffer {
  return (encoding === "base64" ? decodeBase64(text) : decodeHex(text)) ?? EMPTY;
}
