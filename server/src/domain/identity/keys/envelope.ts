import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import type { MasterKey } from "./master-key.ts";

/**
 * The place of a sealed value. The seal includes it, so the value can't be opened in another row or for another use.
 */
export interface SealedPlace {
  readonly table: string;
  readonly id: string;
  readonly purpose: string;
  /** Version of the record, for values that are replaced. */
  readonly version: number;
}

/**
 * Seals values that must be read again (private keys, S3 secrets). Hashes values that need only be compared (client
 * secrets).
 */
export interface Envelope {
  readonly masterKeyId: string;
  seal(place: SealedPlace, plaintext: Uint8Array): Uint8Array;
  /** @throws Error if the bytes were sealed for another place or under another key, or were altered */
  open(place: SealedPlace, sealed: Uint8Array): Buffer;
  /** Returns HMAC-SHA-256 under a key for this purpose, for secrets of 256 random bits. */
  keyedHash(purpose: string, secret: string): Buffer;
}

// Layout: 1 format | 8 master key id | 12 nonce, 32 data key, 16 tag | 12 nonce, plaintext, 16 tag
const FORMAT = 1;
const ID_BYTES = 8;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const DATA_KEY_BYTES = 32;
const WRAPPED_AT = 1 + ID_BYTES;
const WRAPPED_BYTES = NONCE_BYTES + DATA_KEY_BYTES + TAG_BYTES;
const BODY_AT = WRAPPED_AT + WRAPPED_BYTES;

/** Returns the id of the master key that sealed these bytes. @throws Error if they are not a sealed value */
export function masterKeyIdOf(sealed: Uint8Array): string {
  if (sealed[0] !== FORMAT || sealed.length < BODY_AT + NONCE_BYTES + TAG_BYTES) {
    throw new Error("cannot open a sealed value: its format is unknown");
  }
  return Buffer.from(sealed.subarray(1, WRAPPED_AT)).toString("hex");
}

export function createEnvelope(masterKey: MasterKey): Envelope {
  const derived = new Map<string, Buffer>();

  function keyFor(info: string): Buffer {
    const known = derived.get(info);
    if (known !== undefined) return known;
    const key = Buffer.from(hkdfSync("sha256", masterKey.bytes, "", `mooring/v1/${info}`, DATA_KEY_BYTES));
    derived.set(info, key);
    return key;
  }

  return {
    masterKeyId: masterKey.id,
    seal(place, plaintext) {
      const bound = boundTo(place);
      const dataKey = randomBytes(DATA_KEY_BYTES);
      const wrapped = encrypt(keyFor(`envelope/${place.purpose}`), bound, dataKey);
      const head = Buffer.concat([Buffer.of(FORMAT), Buffer.from(masterKey.id, "hex")]);
      return Buffer.concat([head, wrapped, encrypt(dataKey, bound, plaintext)]);
    },
    open(place, sealed) {
      const id = masterKeyIdOf(sealed);
      if (id !== masterKey.id)
        throw new Error(`cannot open a sealed value: it needs master key ${id}, this is ${masterKey.id}`);
      const bound = boundTo(place);
      const dataKey = decrypt(keyFor(`envelope/${place.purpose}`), bound, sealed.subarray(WRAPPED_AT, BODY_AT));
      return decrypt(dataKey, bound, sealed.subarray(BODY_AT));
    },
    keyedHash: (purpose, secret) =>
      createHmac("sha256", keyFor(`hash/${purpose}`))
        .update(secret)
        .digest(),
  };
}

function boundTo(place: SealedPlace): Buffer {
  return Buffer.from([place.table, place.id, place.purpose, String(place.version)].join("|"));
}

function encrypt(key: Buffer, bound: Buffer, plaintext: Uint8Array): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES }).setAAD(bound);
  return Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: Buffer, bound: Buffer, sealed: Uint8Array): Buffer {
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const tag = sealed.subarray(sealed.length - TAG_BYTES);
  const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(bound)
    .setAuthTag(tag);
  const body = decipher.update(sealed.subarray(NONCE_BYTES, sealed.length - TAG_BYTES));
  try {
    return Buffer.concat([body, decipher.final()]);
  } catch (error) {
    throw new Error("cannot open a sealed value: it was altered, or sealed for another place", { cause: error });
  }
}
