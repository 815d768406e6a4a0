import { randomBytes } from "node:crypto";
import type { Envelope, SealedPlace } from "#domain/identity/index.ts";

const ID_PREFIX = "MOOR";
const ID_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const ID_RANDOM_CHARS = 16;
const SECRET_BYTES = 30;

/** Twenty characters, as clients expect. It is no secret. */
export function newAccessKeyId(): string {
  let id = ID_PREFIX;
  for (const byte of randomBytes(ID_RANDOM_CHARS)) id += ID_ALPHABET.charAt(byte & 31);
  return id;
}

export function isAccessKeyId(text: string): boolean {
  return /^MOOR[A-Z2-7]{16}$/.test(text);
}

/** Forty characters for 240 random bits, of those that need no quotation in a shell or a URL. */
export function newSecretKey(): string {
  for (;;) {
    const secret = randomBytes(SECRET_BYTES).toString("base64url");
    if (!secret.startsWith("-")) return secret; // would be taken for an option
  }
}

export function sealSecret(envelope: Envelope, keyId: string, secret: string): Uint8Array {
  return envelope.seal(placeOf(keyId), Buffer.from(secret));
}

export function openSecret(envelope: Envelope, keyId: string, sealed: Uint8Array): string {
  return envelope.open(placeOf(keyId), sealed).toString();
}

function placeOf(keyId: string): SealedPlace {
  return { table: "s3_key", id: keyId, purpose: "s3-secret-key", version: 1 };
}
