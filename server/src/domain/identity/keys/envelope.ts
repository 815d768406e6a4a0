import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  randomBytes,
  timingSafeEqual,
  type KeyObject,
} from "node:crypto";
import { KEY_ID_BYTES, type KeyRing, type RingKey } from "./keyring.ts";
import { MAC_PURPOSES, type LookupPurpose, type MacPurpose, type WrapPurpose } from "./purposes.ts";

/**
 * The place of a sealed value. The seal includes it, so the value can't be opened in another row or for another use.
 */
export interface SealedPlace {
  readonly table: string;
  readonly id: string;
  readonly purpose: WrapPurpose;
  /** Version of the record, for values that are replaced. */
  readonly version: number;
}

/** Values that must be read again: private keys, S3 secrets. */
export interface Seals {
  seal(place: SealedPlace, plaintext: Uint8Array): Uint8Array;
  /**
   * @throws UnknownKey if this node does not have the key; Error if the bytes were sealed for another place, or were
   * altered
   */
  open(place: SealedPlace, sealed: Uint8Array): Buffer;
  /** Whether this node has the key of these bytes. @throws Error if they are not a sealed value */
  knows(purpose: WrapPurpose, sealed: Uint8Array): boolean;
  /** Returns the same value under the current key. Only the data key is wrapped again; the content keeps its bytes. */
  sealAgain(place: SealedPlace, sealed: Uint8Array): Uint8Array;
}

/** A hash, and the id of its key for the row. */
export interface KeyedHash {
  readonly key: string;
  readonly hash: Buffer;
}

/** Secrets of 256 random bits that need only be compared: client secrets, the tokens of webhooks. */
export interface Lookups {
  /** HMAC-SHA-256 under the current key of this purpose. */
  lookupHash(purpose: LookupPurpose, secret: string): KeyedHash;
  /** The hashes under every key that a row may have, the current one first. */
  lookupHashes(purpose: LookupPurpose, secret: string): readonly KeyedHash[];
  /** Returns a function that hashes one secret under the keys that rows name, under each key once. */
  hasher(purpose: LookupPurpose, secret: string): Hasher;
  /** Reads the keys again, unless that was just done. Returns whether there are other keys now. @throws UnknownKey */
  readNews(): Promise<boolean>;
}

export interface Hasher {
  /** The hash under the current key. */
  readonly current: KeyedHash;
  /**
   * The hash under a row's key; null: the key from before keys were stored. It is `current` itself if the row has the
   * current key.
   * @throws UnknownKey
   */
  under(key: string | null): KeyedHash;
}

/** Values that this server issues and later verifies itself: tokens, presigned URLs. */
export interface Signatures {
  /** Returns a code that names its key. */
  sign(purpose: MacPurpose, text: string): Buffer;
  /** Whether this server created the code, with a key that still verifies. @throws Error if the keys can't be read now */
  verify(purpose: MacPurpose, text: string, code: Uint8Array): Promise<boolean>;
  /** As `verify`, but a key that this node does not know yet counts as wrong. */
  verifyKnown(purpose: MacPurpose, text: string, code: Uint8Array): boolean;
  /** The name of the current key, for `secretOf`. */
  keyName(purpose: MacPurpose): string;
  /**
   * Returns a secret that is derived from a text, under the key with this name. Null: the key from before keys had
   * names. Undefined: the key does not verify any more.
   */
  secretOf(purpose: MacPurpose, text: string, keyName: string | null): Promise<Buffer | undefined>;
}

export interface Envelope extends Seals, Lookups, Signatures {
  readonly masterKeyId: string;
}

// Layout: 1 format | 8 key id | 12 nonce, 32 data key, 16 tag | 12 nonce, plaintext, 16 tag
/** Format 1 names the master key that the wrap key was derived from. Format 2 names the wrap key. */
const DERIVED_FORMAT = 1;
export const FORMAT = 2;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const DATA_KEY_BYTES = 32;
export const HEAD_BYTES = 1 + KEY_ID_BYTES;
const WRAPPED_BYTES = NONCE_BYTES + DATA_KEY_BYTES + TAG_BYTES;
const BODY_AT = HEAD_BYTES + WRAPPED_BYTES;
/** A code begins with the first bytes of its key's id. */
const NAME_BYTES = 4;

/**
 * Returns the id of the master key that the key of these bytes was derived from. Undefined: they name their key.
 * @throws Error if they are not a sealed value
 */
export function derivingMasterId(sealed: Uint8Array): string | undefined {
  const { format, id } = headOf(sealed);
  return format === DERIVED_FORMAT ? id : undefined;
}

function headOf(sealed: Uint8Array): { format: number; id: string } {
  const [format] = sealed;
  if ((format !== DERIVED_FORMAT && format !== FORMAT) || sealed.length < BODY_AT + NONCE_BYTES + TAG_BYTES)
    throw new Error("cannot open a sealed value: its format is unknown");
  return { format, id: Buffer.from(sealed.subarray(1, HEAD_BYTES)).toString("hex") };
}

/** Returns the first bytes of each value that is sealed under this key. */
export function headUnder(keyId: string): Buffer {
  return Buffer.concat([Buffer.of(FORMAT), Buffer.from(keyId, "hex")]);
}

export interface EnvelopeOptions {
  readonly ring: KeyRing;
  readonly nowMs: () => number;
}

export function createEnvelope(options: EnvelopeOptions): Envelope {
  const { ring } = options;
  return {
    get masterKeyId() {
      return ring.masterId;
    },
    ...sealsOf(ring),
    ...lookupsOf(ring),
    ...signaturesOf(options),
  };
}

function sealsOf(ring: KeyRing): Seals {
  function keyOf(purpose: WrapPurpose, sealed: Uint8Array): RingKey | undefined {
    const { format, id } = headOf(sealed);
    const { derived } = ring.shelf("wrap", purpose);
    if (format === DERIVED_FORMAT) return derived?.derivedFrom === id ? derived : undefined;
    const key = ring.byId(id);
    return key?.use === "wrap" && key.purpose === purpose ? key : undefined;
  }

  function opened(place: SealedPlace, sealed: Uint8Array): { bound: Buffer; dataKey: Buffer } {
    const key = keyOf(place.purpose, sealed);
    if (key === undefined) throw ring.unknownKey(headOf(sealed).id);
    const bound = boundTo(place);
    return { bound, dataKey: decrypt(key.secret, bound, sealed.subarray(HEAD_BYTES, BODY_AT)) };
  }

  function headFor({ purpose }: SealedPlace, bound: Buffer, dataKey: Buffer): Buffer {
    const key = ring.shelf("wrap", purpose).current;
    return Buffer.concat([headUnder(key.id), encrypt(key.secret, bound, dataKey)]);
  }

  return {
    seal: (place, plaintext) => {
      const [bound, dataKey] = [boundTo(place), randomBytes(DATA_KEY_BYTES)];
      return Buffer.concat([headFor(place, bound, dataKey), encrypt(dataKey, bound, plaintext)]);
    },
    open: (place, sealed) => {
      const { bound, dataKey } = opened(place, sealed);
      return decrypt(dataKey, bound, sealed.subarray(BODY_AT));
    },
    knows: (purpose, sealed) => keyOf(purpose, sealed) !== undefined,
    sealAgain: (place, sealed) => {
      const { bound, dataKey } = opened(place, sealed);
      decrypt(dataKey, bound, sealed.subarray(BODY_AT)); // a damaged value must not look new
      return Buffer.concat([headFor(place, bound, dataKey), sealed.subarray(BODY_AT)]);
    },
  };
}

function lookupsOf(ring: KeyRing): Lookups {
  const under = (key: RingKey, secret: string): KeyedHash => ({ key: key.id, hash: macUnder(key, secret) });
  return {
    lookupHash: (purpose, secret) => under(ring.shelf("lookup", purpose).current, secret),
    lookupHashes: (purpose, secret) =>
      ring
        .shelf("lookup", purpose)
        .all.filter((key) => key.state !== "retired")
        .map((key) => under(key, secret)),
    hasher: (purpose, secret) => {
      const { current, all, derived } = ring.shelf("lookup", purpose);
      const first = under(current, secret);
      let former: KeyedHash | undefined;
      const hashUnder = (id: string | null): KeyedHash => {
        const wanted = id ?? derived?.id;
        if (wanted === first.key) return first;
        if (former !== undefined && wanted === former.key) return former;
        const key = all.find((each) => each.id === wanted);
        if (key === undefined) throw ring.unknownKey(id ?? "from before the key ring");
        former = under(key, secret);
        return former;
      };
      return { current: first, under: hashUnder };
    },
    readNews: async () => {
      if (ring.isRecent) return false;
      const before = ring.digest;
      await renewed(ring, "of this secret");
      return ring.digest !== before;
    },
  };
}

function signaturesOf({ ring, nowMs }: EnvelopeOptions): Signatures {
  const isOver = ({ retireAtMs }: RingKey): boolean => retireAtMs !== null && retireAtMs <= nowMs();

  function named(purpose: MacPurpose, name: string | null): RingKey | undefined {
    const { all, derived } = ring.shelf("mac", purpose);
    return name === null ? derived : all.find((key) => nameOf(key) === name);
  }

  /** Returns the key with this name. If it is not known, reads the keys again once. */
  async function found(purpose: MacPurpose, name: string | null): Promise<RingKey | undefined> {
    const known = named(purpose, name);
    if (known !== undefined || name === null || ring.isRecent) return known;
    await renewed(ring, name);
    return named(purpose, name);
  }

  function isRight(key: RingKey | undefined, text: string, code: Code): boolean {
    return key !== undefined && !isOver(key) && timingSafeEqual(macUnder(key, text).subarray(0, code.bytes), code.mac);
  }

  return {
    sign: (purpose, text) => {
      const { current } = ring.shelf("mac", purpose);
      const mac = macUnder(current, text).subarray(0, MAC_PURPOSES[purpose].bytes);
      return Buffer.concat([Buffer.from(nameOf(current), "hex"), mac]);
    },
    verify: async (purpose, text, bytes) => {
      const code = codeOf(purpose, bytes);
      return code !== undefined && isRight(await found(purpose, code.name), text, code);
    },
    verifyKnown: (purpose, text, bytes) => {
      const code = codeOf(purpose, bytes);
      return code !== undefined && isRight(named(purpose, code.name), text, code);
    },
    keyName: (purpose) => nameOf(ring.shelf("mac", purpose).current),
    secretOf: async (purpose, text, name) => {
      const key = await found(purpose, name);
      return key === undefined || isOver(key) ? undefined : macUnder(key, text);
    },
  };
}

/** @throws UnknownKey if the keys can't be read now */
async function renewed(ring: KeyRing, name: string): Promise<void> {
  await ring.renew().catch((error: unknown) => {
    throw Object.assign(ring.unknownKey(name), { cause: error });
  });
}

interface Code {
  /** Null: it is from before keys had names. */
  readonly name: string | null;
  readonly mac: Uint8Array;
  readonly bytes: number;
}

function codeOf(purpose: MacPurpose, code: Uint8Array): Code | undefined {
  const { bytes } = MAC_PURPOSES[purpose];
  if (code.length === bytes) return { name: null, mac: code, bytes };
  if (code.length !== NAME_BYTES + bytes) return undefined;
  const name = Buffer.from(code.subarray(0, NAME_BYTES)).toString("hex");
  return { name, mac: code.subarray(NAME_BYTES), bytes };
}

const JSON_OBJECT = 0x7b;

/** Splits a code and the JSON object after it. Codes from before keys had names are shorter. */
export function splitSigned(purpose: MacPurpose, bytes: Buffer): { code: Buffer; text: string } | undefined {
  const { bytes: macBytes } = MAC_PURPOSES[purpose];
  const at = [NAME_BYTES + macBytes, macBytes].find((length) => bytes[length] === JSON_OBJECT);
  return at === undefined ? undefined : { code: bytes.subarray(0, at), text: bytes.subarray(at).toString() };
}

function nameOf({ id }: RingKey): string {
  return id.slice(0, 2 * NAME_BYTES);
}

function macUnder(key: RingKey, text: string): Buffer {
  return createHmac("sha256", key.secret).update(text).digest();
}

function boundTo(place: SealedPlace): Buffer {
  return Buffer.from([place.table, place.id, place.purpose, String(place.version)].join("|"));
}

function encrypt(key: Buffer | KeyObject, bound: Buffer, plaintext: Uint8Array): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES }).setAAD(bound);
  return Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: Buffer | KeyObject, bound: Buffer, sealed: Uint8Array): Buffer {
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
