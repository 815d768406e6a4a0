import { randomBytes } from "node:crypto";

/** Typed prefixes of the product's identifiers (CONTRACT "Tenancy"). */
export type IdPrefix =
  | "org"
  | "proj"
  | "app"
  | "cred"
  | "file"
  | "blob"
  | "mail"
  | "hook"
  | "evt"
  | "key"
  | "user"
  | "grp"
  | "role"
  | "aud"
  | "inv"
  | "sec"
  | "setup"
  | "link"
  | "seg"
  | "req"
  | "tok"
  | "node"
  | "query"
  | "stmt"
  | "alert"
  | "inc"
  | "msg"
  | "job"
  | "store"
  | "era"
  | "rule"
  | "upl"
  | "dest"
  | "url"
  | "lease"
  | "ses"
  | "login"
  | "otok"
  | "pass"
  | "trust"
  | "trash";

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"; // Crockford base 32, lower case

/**
 * Creates an identifier: prefix, `_`, and 26 characters in the layout of a ULID (48 bits of milliseconds, 80 random
 * bits), so that identifiers sort by creation time.
 */
export function newId(prefix: IdPrefix, nowMs: number): string {
  return `${prefix}_${timePart(nowMs)}${randomPart()}`;
}

/** Whether a text is a well-formed identifier of this kind. It does not check that the object exists. */
export function isId(prefix: IdPrefix, value: string): boolean {
  return value.startsWith(`${prefix}_`) && /^[0-9a-hjkmnp-tv-z]{26}$/.test(value.slice(prefix.length + 1));
}

/** Returns the creation time of an identifier, in milliseconds since the epoch. */
export function idMs(id: string): number {
  const text = id.slice(id.indexOf("_") + 1).slice(0, TIME_CHARS);
  return Array.from(text).reduce((ms, char) => ms * 32 + ALPHABET.indexOf(char), 0);
}

function timePart(nowMs: number): string {
  let rest = nowMs;
  let text = "";
  for (let i = 0; i < TIME_CHARS; i++) {
    text = ALPHABET.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

const TIME_CHARS = 10;
const RANDOM_CHARS = 16;
/** Random bytes are read in blocks, because every request creates an identifier, and a system call for each is slow. */
const POOL_BYTES = 4096;
let pool = Buffer.alloc(0);
let poolAt = 0;

function randomPart(): string {
  if (poolAt + RANDOM_CHARS > pool.length) {
    pool = randomBytes(POOL_BYTES);
    poolAt = 0;
  }
  let text = "";
  for (let i = 0; i < RANDOM_CHARS; i++) text += ALPHABET.charAt((pool[poolAt++] as number) & 31);
  return text;
}
