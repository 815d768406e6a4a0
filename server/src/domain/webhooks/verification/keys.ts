import { createPublicKey, type KeyObject } from "node:crypto";
import { decodeBase64, decodeHex } from "#kernel/decoding.ts";
import type { PublicForm, SecretForm } from "./recipe.ts";

/** Reads the keys that people paste. A text in another form gives no key, so no signature matches it. */

const ED25519_BYTES = 32;
/** SubjectPublicKeyInfo of an Ed25519 key (RFC 8410 section 4), before the 32 bytes of the key. */
const ED25519_HEAD = Buffer.from("302a300506032b6570032100", "hex");
/** Standard Webhooks: prefixes of a secret, a private and a public key. Some senders write `v1,` before a secret. */
const SHARED = /^(?:v1,)?(?:whsec_)?/;
const KEY_PAIR = /^wh[ps]k_/;

/** Returns the bytes of a shared secret; undefined for a text in another form. */
export function secretKeyOf(secret: string, form: SecretForm): Buffer | undefined {
  switch (form) {
    case "text":
      return Buffer.from(secret);
    case "hex":
      return decodeHex(secret);
    case "base64":
      return decodeBase64(secret);
    case "whsec":
      // A public key is not secret: everybody could sign with its bytes.
      return KEY_PAIR.test(secret) ? undefined : Buffer.from(secret.replace(SHARED, ""), "base64");
  }
}

/** Returns the public key; undefined for a text in another form, or a key for another algorithm. */
export function publicKeyOf(text: string, form: PublicForm): KeyObject | undefined {
  switch (form) {
    case "ed25519_hex":
      return ed25519Of(decodeHex(text));
    case "whpk":
      return text.startsWith("whpk_") ? ed25519Of(decodeBase64(text.slice("whpk_".length))) : undefined;
    case "spki":
      return p256Of(text);
  }
}

function ed25519Of(bytes: Buffer | undefined): KeyObject | undefined {
  if (bytes?.length !== ED25519_BYTES) return undefined;
  return createPublicKey({ key: Buffer.concat([ED25519_HEAD, bytes]), format: "der", type: "spki" });
}

/** Accepts only keys on the curve P-256, so that the algorithm does not depend on the key. */
function p256Of(text: string): KeyObject | undefined {
  const der = decodeBase64(text);
  if (der === undefined) return undefined;
  try {
    const key = createPublicKey({ key: der, format: "der", type: "spki" });
    return key.asymmetricKeyDetails?.namedCurve === "prime256v1" ? key : undefined;
  } catch {
    return undefined;
  }
}
