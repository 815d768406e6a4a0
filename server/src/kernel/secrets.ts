import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_CHARS = 43; // 43 base-62 digits hold 256 bits
const CHECK_CHARS = 6; // 6 base-62 digits hold a CRC-32

/** Fixed prefixes, so that secret scanners find our secrets. `mrc_` client id (public), `mrcs_` client secret, `mrst_` set-up link, `mriv_` invitation, `mrrl_` reset link, `mrac_` code of a login, `mrdc_` device code, `mrop_` operator token, `mrik_` ingest key. */
export type SecretPrefix = "mrcs" | "mrst" | "mriv" | "mrrl" | "mrpat" | "mrwh" | "mrac" | "mrdc" | "mrop" | "mrik";

/** The prefix of the key of backups. It is a file of the operator: nobody signs in with it. */
type FilePrefix = "mrbk";

/** Creates a secret of 256 random bits: prefix, `_`, 43 base-62 digits, 6 digits of CRC-32 over everything before. */
export function newSecret(prefix: SecretPrefix | FilePrefix): string {
  const body = `${prefix}_${toBase62(BigInt(`0x${randomBytes(32).toString("hex")}`), RANDOM_CHARS)}`;
  return body + checksum(body);
}

/**
 * Whether the text has the form and the checksum of a secret, so that a typing mistake is refused without a database
 * query.
 */
export function isWellFormedSecret(prefix: SecretPrefix | FilePrefix, text: string): boolean {
  const length = prefix.length + 1 + RANDOM_CHARS + CHECK_CHARS;
  if (text.length !== length || !text.startsWith(`${prefix}_`)) return false;
  return checksum(text.slice(0, -CHECK_CHARS)) === text.slice(-CHECK_CHARS);
}

function checksum(body: string): string {
  return toBase62(BigInt(crc32(body)), CHECK_CHARS);
}

function toBase62(value: bigint, length: number): string {
  let rest = value;
  let text = "";
  for (let i = 0; i < length; i++) {
    text = BASE62.charAt(Number(rest % 62n)) + text;
    rest /= 62n;
  }
  return text;
}

/** Every secret of ours, with the tokens of sessions, logins and the registry, and signed tokens. */
const ANY_SECRET = /\b(mr[a-z]{2,3})_[0-9A-Za-z_-]{16,}|\b(eyJ)[\w-]{8,}\.[\w-]+\.[\w-]+/g;

/** Cuts each secret in a text off after its prefix. It is the last defence: no text should have one. */
export function withoutSecrets(text: string): string {
  return text.replace(ANY_SECRET, (_, prefix: string | undefined) => `${prefix === undefined ? "eyJ" : `${prefix}_`}…`);
}
