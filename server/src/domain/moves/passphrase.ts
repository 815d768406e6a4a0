import { createCipheriv, createDecipheriv, randomBytes, scrypt } from "node:crypto";
import { promisify } from "node:util";

/** The cost of one guess: about half a second and 128 MiB. */
const COST = { n: 131_072, r: 8, p: 1 } as const;
const KEY_BYTES = 32;
const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const MEMORY_BYTES = 256 * 1024 * 1024;

export const PASSPHRASE_CHARS_MIN = 12;

/** `secrets.json`: the key of the export, wrapped by a key that the passphrase gives. */
export interface WrappedKey {
  readonly kdf: {
    readonly name: "scrypt";
    readonly n: number;
    readonly r: number;
    readonly p: number;
    readonly salt: string;
  };
  readonly key: string;
}

/** Seals values of an export. The place of each value is authenticated, so values can't be exchanged. */
export interface MoveKey {
  seal(place: string, plain: Uint8Array): string;
  /** @throws Error when the value was altered, or is of another place */
  open(place: string, sealed: string): Buffer;
}

export async function newMoveKey(passphrase: string): Promise<{ key: MoveKey; wrapped: WrappedKey }> {
  const [salt, bytes] = [randomBytes(SALT_BYTES), randomBytes(KEY_BYTES)];
  const wrapping = await derived(passphrase, salt);
  const kdf = { name: "scrypt", ...COST, salt: salt.toString("base64") } as const;
  return { key: keyOf(bytes), wrapped: { kdf, key: encrypt(wrapping, "key", bytes) } };
}

/** @throws Error when the passphrase is not that of the export */
export async function openMoveKey(passphrase: string, { kdf, key }: WrappedKey): Promise<MoveKey> {
  if (kdf.name !== "scrypt" || kdf.n !== COST.n || kdf.r !== COST.r || kdf.p !== COST.p)
    throw new Error("secrets.json has a cost that this version does not know");
  const wrapping = await derived(passphrase, Buffer.from(kdf.salt, "base64"));
  try {
    return keyOf(decrypt(wrapping, "key", key));
  } catch (error) {
    throw new Error("the passphrase is not that of the export or backup, or its secrets were altered", {
      cause: error,
    });
  }
}

/** Wraps one secret by a passphrase, as text. */
export async function wrapSecret(passphrase: string, secret: Uint8Array): Promise<string> {
  const { key, wrapped } = await newMoveKey(passphrase);
  return JSON.stringify({ ...wrapped, secret: key.seal("secret", secret) });
}

/** @throws Error when the passphrase is another one, or the text was altered */
export async function unwrapSecret(passphrase: string, text: string): Promise<Buffer> {
  const { secret, ...wrapped } = JSON.parse(text) as WrappedKey & { secret: string };
  return (await openMoveKey(passphrase, wrapped)).open("secret", secret);
}

function derived(passphrase: string, salt: Buffer): Promise<Buffer> {
  const options = { N: COST.n, r: COST.r, p: COST.p, maxmem: MEMORY_BYTES };
  return promisify<string, Buffer, number, typeof options, Buffer>(scrypt)(
    passphrase.normalize(),
    salt,
    KEY_BYTES,
    options,
  );
}

function keyOf(bytes: Buffer): MoveKey {
  return {
    seal: (place, plain) => encrypt(bytes, place, plain),
    open: (place, sealed) => {
      try {
        return decrypt(bytes, place, sealed);
      } catch (error) {
        throw new Error(`a secret of the export was altered: ${place}`, { cause: error });
      }
    },
  };
}

function encrypt(key: Buffer, place: string, plain: Uint8Array): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(place));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]).toString("base64");
}

function decrypt(key: Buffer, place: string, text: string): Buffer {
  const sealed = Buffer.from(text, "base64");
  const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(place))
    .setAuthTag(sealed.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
}
