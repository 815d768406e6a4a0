import { createHmac, createSecretKey, hash, timingSafeEqual, type KeyObject } from "node:crypto";
import type { Fields } from "../wire/fields.ts";
import { uriEncoded, uriEncodedPath, type QueryParameter, type Target } from "../wire/target.ts";

export const V4_ALGORITHM = "AWS4-HMAC-SHA256";
export const EMPTY_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/** The scope of a signing key. */
export interface Scope {
  /** `YYYYMMDD` */
  readonly day: string;
  readonly region: string;
  readonly service: string;
}

export interface SignedRequest {
  readonly method: string;
  readonly target: Target;
  readonly fields: Fields;
  /** Lower-case names, in the order of the request. */
  readonly signedHeaders: readonly string[];
  /** Value of `x-amz-content-sha256`, for any kind of payload. */
  readonly payload: string;
}

export function scopeText({ day, region, service }: Scope): string {
  return `${day}/${region}/${service}/aws4_request`;
}

export function canonicalRequestOf({ method, target, fields, signedHeaders, payload }: SignedRequest): string {
  const headers = signedHeaders.map((name) => `${name}:${fields.all(name).map(folded).join(",")}\n`).join("");
  return [
    method,
    uriEncodedPath(target.path),
    canonicalQueryOf(target.query),
    headers,
    signedHeaders.join(";"),
    payload,
  ].join("\n");
}

function folded(value: string): string {
  return value.trim().replace(/ +/g, " ");
}

/**
 * Sorts by the bytes of the encoded name, then of the value. Keeps repeated parameters, and omits the signature itself.
 */
function canonicalQueryOf(query: readonly QueryParameter[]): string {
  return query
    .filter(({ name }) => name !== "X-Amz-Signature")
    .map(({ name, value }) => [uriEncoded(name), uriEncoded(value)] as const)
    .toSorted((a, b) => order(a[0], b[0]) || order(a[1], b[1]))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** @param date as in `x-amz-date`, `YYYYMMDDTHHMMSSZ` */
export function stringToSignOf(date: string, scope: Scope, canonicalRequest: string): string {
  return [V4_ALGORITHM, date, scopeText(scope), sha256OfLatin1(canonicalRequest)].join("\n");
}

/** Header values have one byte in each character, and everything else is ASCII. */
function sha256OfLatin1(text: string): string {
  return hash("sha256", Buffer.from(text, "latin1"), "hex");
}

export function hmacSha256(key: string | Uint8Array | KeyObject, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

export function signatureOf(key: Uint8Array | KeyObject, stringToSign: string): string {
  return hmacSha256(key, stringToSign).toString("hex");
}

export function equalInConstantTime(given: string, right: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Caches signing keys. Deriving one takes four HMACs, which is most of the cost of verifying a request. */
export class SigningKeys {
  readonly #keys = new Map<string, { readonly secret: string; readonly key: KeyObject }>();
  readonly #keysMax: number;

  constructor(keysMax = 1000) {
    this.#keysMax = keysMax;
  }

  /** Uses a cached key only for the same secret, so a replaced secret gets a new signing key. */
  keyOf(accessKeyId: string, secret: string, scope: Scope): KeyObject {
    const name = `${accessKeyId}/${scopeText(scope)}`;
    const known = this.#keys.get(name);
    if (known?.secret === secret) return known.key;
    const key = createSecretKey(deriveKey(secret, scope)); // With a key in bytes, Node would create a key object for each HMAC, which takes longer than the HMAC itself.
    this.#keys.delete(name);
    this.#keys.set(name, { secret, key });
    if (this.#keys.size > this.#keysMax) {
      const oldest = this.#keys.keys().next();
      if (oldest.done !== true) this.#keys.delete(oldest.value);
    }
    return key;
  }
}

export function deriveKey(secret: string, { day, region, service }: Scope): Buffer {
  const ofDay = hmacSha256(`AWS4${secret}`, day);
  return hmacSha256(hmacSha256(hmacSha256(ofDay, region), service), "aws4_request");
}
