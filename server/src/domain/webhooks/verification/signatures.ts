import { createHash, createHmac, timingSafeEqual } from "node:crypto";

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

export function isDigestOf(content: Buffer, sha256: string): boolean {
  return createHash("sha256").update(content).digest("hex") === sha256.toLowerCase();
}

/** Compares texts in constant time. */
export function sameText(one: string, other: string): boolean {
  return timingSafeEqual(createHash("sha256").update(one).digest(), createHash("sha256").update(other).digest());
}

export function isOneOf(text: string, secrets: readonly string[]): boolean {
  return secrets.map((secret) => sameText(text, secret)).includes(true);
}
