import { decodeJwt, decodeProtectedHeader } from "jose";
import { decodeBase64Url } from "#kernel/decoding.ts";
import { SUBJECT_CHARS_MAX } from "./subject.ts";

/** GitHub's tokens have about 1,500. */
const ASSERTION_CHARS_MAX = 8192;
/** Only algorithms with a key pair: with a shared secret, the verifier could also sign (RFC 8725, section 2.1). */
const ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];
/**
 * RFC 7523, section 3, rule 4 allows a server to refuse an expiry that is unreasonably far away. A job that runs for a
 * day has a token for a day.
 */
const LIFETIME_S_MAX = 24 * 60 * 60;
const CLOCK_SKEW_S = 60;

/** A JWT of another issuer (RFC 7523), parsed but not yet verified. */
export interface Assertion {
  readonly text: string;
  readonly issuer: string;
  readonly subject: string;
  readonly audiences: readonly string[];
  readonly claims: Readonly<Record<string, unknown>>;
  /** The times of its validity, in seconds. */
  readonly times: { readonly exp: number; readonly nbf?: number; readonly iat?: number };
}

export type AssertionForm = Pick<Assertion, "issuer" | "subject" | "times">;

/** `message` is for the caller and reveals nothing about any credential. `reason` is for the audit log. */
export class AssertionRefusal extends Error {
  readonly reason: string;
  /** The issuer's keys could not be read, or lack the named key. The client did nothing wrong and can't repair it. */
  readonly isIssuersFault: boolean;

  constructor(message: string, reason: string, isIssuersFault = false) {
    super(message);
    this.isIssuersFault = isIssuersFault;
    this.name = "AssertionRefusal";
    this.reason = reason;
  }
}

export { ALGORITHMS as ASSERTION_ALGORITHMS };

/** @throws AssertionRefusal if the text is not a JWT as RFC 7523, section 3 requires */
export function parseAssertion(text: string): Assertion {
  if (text.length > ASSERTION_CHARS_MAX) throw refused(`has more than ${ASSERTION_CHARS_MAX} characters`);
  // The library would accept several spellings of a segment.
  if (!text.split(".").every((segment) => decodeBase64Url(segment) !== undefined))
    throw refused("is not a JSON Web Token");
  const { alg } = decoded(() => decodeProtectedHeader(text));
  if (typeof alg !== "string" || !ALGORITHMS.includes(alg))
    throw refused(`must be signed with a key pair: its alg must be one of ${ALGORITHMS.join(", ")}`);
  const claims = decoded((): Readonly<Record<string, unknown>> => decodeJwt(text));
  const { iss, sub, aud, exp, nbf, iat } = claims;
  if (typeof iss !== "string" || iss === "") throw refused("has no iss");
  if (typeof sub !== "string" || sub === "" || sub.length > SUBJECT_CHARS_MAX)
    throw refused(`has no sub of 1 to ${SUBJECT_CHARS_MAX} characters`);
  const audiences = Array.isArray(aud) ? aud : [aud];
  if (audiences.length === 0 || !audiences.every((one) => typeof one === "string")) throw refused("has no aud");
  const times = { exp, nbf, iat };
  for (const [name, value] of Object.entries(times)) {
    if (value === undefined ? name === "exp" : typeof value !== "number" || !Number.isFinite(value))
      throw refused(`has no ${name} in seconds`);
  }
  return { text, issuer: iss, subject: sub, audiences, claims, times: times as Assertion["times"] };
}

/** Checks that it is valid now (RFC 7523, section 3, rules 4 to 6). @throws AssertionRefusal */
export function checkLifetime({ times: { exp, nbf, iat } }: AssertionForm, nowMs: number): void {
  const nowS = nowMs / 1000;
  if (nowS >= exp) throw refused(`expired at ${isoOf(exp)}`);
  if (Math.max(nbf ?? 0, iat ?? 0) > nowS + CLOCK_SKEW_S) throw refused("is not valid yet");
  if (exp - Math.min(iat ?? nowS, nowS) > LIFETIME_S_MAX)
    throw refused(`is valid for more than ${LIFETIME_S_MAX / 3600} hours`);
}

function decoded<T>(decode: () => T): T {
  try {
    return decode();
  } catch {
    throw refused("is not a JSON Web Token");
  }
}

function refused(what: string): AssertionRefusal {
  return new AssertionRefusal(`The client assertion ${what}.`, `assertion ${what}`);
}

function isoOf(seconds: number): string {
  const ms = seconds * 1000;
  return Math.abs(ms) < 8.64e15 ? new Date(ms).toISOString() : String(seconds);
}
