import { createHmac, generateKeyPairSync, sign, type KeyObject } from "node:crypto";

/**
 * Requests as each sender's documentation describes them. The signatures are computed here with node:crypto alone, so
 * that a fault of the recipe or of its interpreter does not repeat itself in the test.
 */

export interface Key {
  /** The text that is set as the webhook's secret. */
  readonly secret: string;
  /** Signs; undefined when the secret itself signs. */
  readonly signing?: KeyObject;
}

export interface Signing {
  readonly body: string;
  readonly key: Key;
  readonly nowMs: number;
  readonly url: string;
}

export interface Signed {
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
  /** The body with the signature inside. */
  readonly body?: string;
}

export interface Sample {
  readonly body: string;
  readonly sign: (signing: Signing) => Signed;
  /** Two keys; by default two texts. */
  readonly keys?: readonly [Key, Key];
  /** False: the signature does not cover the body. */
  readonly covers?: false;
  /** The seconds after which the sender's signature is too old. */
  readonly lateAfterS?: number;
  /** The name that repetitions share; absent: none. */
  readonly name?: string | RegExp;
  readonly type?: string;
  /** Other settings of the verification. */
  readonly audience?: string;
}

export const TEXT_KEYS: readonly [Key, Key] = [{ secret: "It's a Secret to Everybody" }, { secret: "another secret" }];

type Encoding = "hex" | "base64";

export const hmac = (key: string | Buffer, content: string, encoding: Encoding = "hex", algorithm = "sha256"): string =>
  createHmac(algorithm, key).update(content).digest(encoding);

export const seconds = (nowMs: number): string => String(Math.floor(nowMs / 1000));

/** A sample with one header field: an HMAC-SHA-256 of the body in hexadecimal digits after `prefix`. */
export function ofBody(
  field: string,
  prefix: string,
  rest: Omit<Sample, "sign">,
  more: Signed["headers"] = {},
): Sample {
  return { ...rest, sign: ({ body, key }) => ({ headers: { [field]: prefix + hmac(key.secret, body), ...more } }) };
}

/** A sample that sends the secret itself. */
export function ofSecret(field: string, rest: Omit<Sample, "sign" | "covers">, more: Signed["headers"] = {}): Sample {
  return { ...rest, covers: false, sign: ({ key }) => ({ headers: { [field]: key.secret, ...more } }) };
}

export const basicOf = (pair: string): string => `Basic ${Buffer.from(pair).toString("base64")}`;

export function ed25519Keys(secretOf: (raw: Buffer) => string): [Key, Key] {
  const made = (): Key => {
    const { publicKey, privateKey } = generateKeyPairSync("ed25519");
    const raw = publicKey.export({ format: "der", type: "spki" }).subarray(-32);
    return { secret: secretOf(raw), signing: privateKey };
  };
  return [made(), made()];
}

export function p256Keys(): [Key, Key] {
  const made = (): Key => {
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    return { secret: publicKey.export({ format: "der", type: "spki" }).toString("base64"), signing: privateKey };
  };
  return [made(), made()];
}

export function signedBy({ signing }: Key, algorithm: string | null, content: string): Buffer {
  if (signing === undefined) throw new Error("this key can't sign");
  return sign(algorithm, Buffer.from(content), signing);
}
