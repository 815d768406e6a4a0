import { createSign, generateKeyPairSync } from "node:crypto";

/** Tokens of an issuer whose keys are made for the test (RFC 7515, section 3.1; RFC 7517). */

export const issuerKeys = generateKeyPairSync("rsa", { modulusLength: 2048 });
const KEY_ID = "k1";

/** The published keys. */
export function keySetText(): string {
  const key = issuerKeys.publicKey.export({ format: "jwk" });
  return JSON.stringify({ keys: [{ ...key, kid: KEY_ID, alg: "RS256", use: "sig" }] });
}

export interface TokenParts {
  readonly claims: Readonly<Record<string, unknown>>;
  readonly nowMs: number;
  readonly head?: Readonly<Record<string, unknown>>;
  /** Signs instead of the issuer's key. */
  readonly sign?: (content: string) => Buffer;
}

export function tokenOf({ claims, nowMs, head = {}, sign = signRs256 }: TokenParts): string {
  const iat = Math.floor(nowMs / 1000);
  const parts = [
    { alg: "RS256", kid: KEY_ID, typ: "JWT", ...head },
    { iat, exp: iat + 3600, ...claims },
  ];
  const content = parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  return `${content}.${sign(content).toString("base64url")}`;
}

function signRs256(content: string): Buffer {
  return createSign("RSA-SHA256").update(content).sign(issuerKeys.privateKey);
}
