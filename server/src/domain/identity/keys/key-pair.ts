import { createPrivateKey, createPublicKey, generateKeyPair, sign, verify, type JsonWebKey, type KeyObject } from "node:crypto";
import { promisify } from "node:util";
import { calculateJwkThumbprint, type JWK } from "jose";

export type SigningAlg = "ES256" | "RS256";
/** ES256 signs our tokens; RS256 is published for verifiers that RFC 9068 section 4 lets know nothing else. */
export const SIGNING_ALGS: readonly SigningAlg[] = ["ES256", "RS256"];

const RSA_BITS = 2048;
const generate = promisify(generateKeyPair);

export interface NewKeyPair {
  readonly kid: string;
  readonly alg: SigningAlg;
  readonly publicJwk: string;
  /** PKCS #8. */
  readonly privateKey: Buffer;
}

/** The `kid` is the key's thumbprint (RFC 7638): it says which key it is and nothing else. */
export async function generateSigningKey(alg: SigningAlg): Promise<NewKeyPair> {
  const pair =
    alg === "ES256" ? await generate("ec", { namedCurve: "P-256" }) : await generate("rsa", { modulusLength: RSA_BITS });
  const jwk = pair.publicKey.export({ format: "jwk" });
  const kid = await calculateJwkThumbprint(jwk as JWK);
  return {
    kid,
    alg,
    publicJwk: JSON.stringify({ ...jwk, kid, alg, use: "sig" }),
    privateKey: pair.privateKey.export({ format: "der", type: "pkcs8" }),
  };
}

export function publicKeyOf(publicJwk: string): KeyObject {
  return createPublicKey({ key: JSON.parse(publicJwk) as JsonWebKey, format: "jwk" });
}

export function privateKeyOf(pkcs8: Buffer): KeyObject {
  return createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" });
}

/** JWS signatures of ECDSA are the two numbers side by side, not DER (RFC 7518 section 3.4). */
const JWS_ENCODING = "ieee-p1363";

/** Signs on the thread pool, so that a burst of requests leaves the event loop free. */
export function signJws(key: KeyObject, input: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    sign("sha256", Buffer.from(input), { key, dsaEncoding: JWS_ENCODING }, (error, signature) => {
      if (error === null) resolve(signature);
      else reject(error);
    });
  });
}

export function verifyJws(key: KeyObject, input: string, signature: Buffer): boolean {
  return verify("sha256", Buffer.from(input), { key, dsaEncoding: JWS_ENCODING }, signature);
}
