import { compactVerify, createLocalJWKSet, errors, type JSONWebKeySet, type CompactVerifyGetKey } from "jose";
import type { Clock } from "#kernel/time.ts";
import { OutboundError, type Outbound } from "#stores/outbound/index.ts";
import { ASSERTION_ALGORITHMS, type Assertion } from "./assertion.ts";

/** The signature could not be verified. `message` is for people who manage the trust. */
export class SignatureRefusal extends Error {
  /** The issuer's published documents are unusable or not available. The client can't change that. */
  readonly isIssuersFault: boolean;

  constructor(message: string, isIssuersFault = false) {
    super(message);
    this.isIssuersFault = isIssuersFault;
  }
}

export interface IssuerKeysDeps {
  readonly clock: Clock;
  readonly outbound: Pick<Outbound, "get">;
}

interface Issuer {
  keys: CompactVerifyGetKey | undefined;
  /** When the keys were read. */
  readAtMs: number;
  /** How many requests may be sent without waiting, counted at `atMs`. */
  questions: { left: number; atMs: number };
  /** The reason why the last request for keys failed. */
  failure: string | undefined;
  asking: Promise<void> | undefined;
}

/** Keys are requested again after this time. */
const FRESH_MS = 10 * 60_000;
/** If the issuer does not answer, its keys stay valid for this time. After that, its tokens are refused. */
const KEPT_MS = 60 * 60_000;
/** An unknown key makes the server request the keys at once, this many times in a row, and then at this interval. */
const QUESTIONS_IN_A_ROW = 5;
const QUESTION_EVERY_MS = 5_000;
const DOCUMENT_BYTES_MAX = 64 * 1024;
const KEYS_BYTES_MAX = 256 * 1024;
const KEYS_MAX = 100;
/** Beyond this number the oldest issuer is dropped. */
const ISSUERS_MAX = 500;

/**
 * The public keys of other issuers (OpenID Connect Discovery 1.0). One request to an issuer runs at a time, and only
 * callers with a token of that issuer wait for it.
 */
export class IssuerKeys {
  readonly #deps: IssuerKeysDeps;
  readonly #issuers = new Map<string, Issuer>();
  readonly #stopped = new AbortController();

  constructor(deps: IssuerKeysDeps) {
    this.#deps = deps;
  }

  /** Verifies that the named issuer signed it. @throws SignatureRefusal */
  async verify({ issuer: name, text }: Pick<Assertion, "issuer" | "text">): Promise<void> {
    const issuer = this.#issuerOf(name);
    if (this.#ageMs(issuer.readAtMs) >= FRESH_MS) await this.#ask(name, issuer);
    if (await this.#isVerified(issuer, text)) return;
    // The issuer may have a new key. A running request may return the old keys, so another one follows it.
    for (const isLast of [issuer.asking === undefined, true]) {
      await this.#ask(name, issuer);
      if (await this.#isVerified(issuer, text)) return;
      if (isLast) break;
    }
    throw new SignatureRefusal("the issuer has no such key (kid), or not for this alg", true);
  }

  stop(): void {
    this.#stopped.abort();
  }

  /**
   * Verifies the signature with the known keys. Returns false if the key is not among them.
   * @throws SignatureRefusal
   */
  async #isVerified({ keys, readAtMs, failure }: Issuer, text: string): Promise<boolean> {
    if (keys === undefined || this.#ageMs(readAtMs) >= KEPT_MS)
      throw new SignatureRefusal(`the issuer's keys can't be read: ${failure ?? "it gave no answer"}`, true);
    try {
      await compactVerify(text, keys, { algorithms: ASSERTION_ALGORITHMS });
      return true;
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey) return false;
      if (error instanceof errors.JWKSMultipleMatchingKeys)
        throw new SignatureRefusal("the issuer has several keys for this alg, so the token must name one (kid)");
      throw new SignatureRefusal("the signature is wrong");
    }
  }

  #issuerOf(name: string): Issuer {
    const known = this.#issuers.get(name);
    if (known !== undefined) return known;
    const issuer = {
      keys: undefined,
      readAtMs: -Infinity,
      questions: { left: QUESTIONS_IN_A_ROW, atMs: this.#deps.clock.nowMs() },
      failure: undefined,
      asking: undefined,
    };
    this.#issuers.set(name, issuer);
    const oldest = this.#issuers.keys().next();
    if (this.#issuers.size > ISSUERS_MAX && oldest.done !== true) this.#issuers.delete(oldest.value);
    return issuer;
  }

  #ageMs(sinceMs: number): number {
    return Math.abs(this.#deps.clock.nowMs() - sinceMs);
  }

  /** Joins the running request, or sends one if enough time has passed since the last one. */
  async #ask(name: string, issuer: Issuer): Promise<void> {
    if (issuer.asking === undefined && !this.#takeQuestion(issuer)) return;
    issuer.asking ??= this.#read(name)
      .then((keys) => Object.assign(issuer, { keys, readAtMs: this.#deps.clock.nowMs(), failure: undefined }))
      .catch((error: unknown) => Object.assign(issuer, { failure: failureOf(error) }))
      .then(() => Object.assign(issuer, { asking: undefined }))
      .then(() => undefined);
    await issuer.asking;
  }

  #takeQuestion(issuer: Issuer): boolean {
    const nowMs = this.#deps.clock.nowMs();
    const { left, atMs } = issuer.questions;
    const refilled = Math.min(QUESTIONS_IN_A_ROW, left + Math.max(0, nowMs - atMs) / QUESTION_EVERY_MS);
    const isFree = refilled >= 1;
    issuer.questions = { left: isFree ? refilled - 1 : refilled, atMs: nowMs };
    return isFree;
  }

  async #read(name: string): Promise<CompactVerifyGetKey> {
    const address = `${name.replace(/\/$/, "")}/.well-known/openid-configuration`; // Section 4: without a slash at the end.
    const document = await this.#json(address, DOCUMENT_BYTES_MAX);
    if (document["issuer"] !== name) throw new Unusable("its discovery document names another issuer"); // section 4.3
    const address2 = document["jwks_uri"];
    if (typeof address2 !== "string") throw new Unusable("its discovery document has no jwks_uri");
    const set = await this.#json(address2, KEYS_BYTES_MAX);
    const keys = set["keys"];
    if (!Array.isArray(keys) || keys.length > KEYS_MAX)
      throw new Unusable("its jwks_uri does not return a set of up to 100 keys");
    return keySetOf({ ...set, keys });
  }

  async #json(url: string, bytesMax: number): Promise<Record<string, unknown>> {
    const headers = { accept: "application/json" };
    const { status, body } = await this.#deps.outbound.get({ url, headers, bytesMax, signal: this.#stopped.signal });
    if (status !== 200) throw new Unusable(`${url} answers ${status}`); // a redirect is an error, too
    try {
      const value: unknown = JSON.parse(body.toString("utf8"));
      if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
    } catch {
      // the error below reports it
    }
    throw new Unusable(`${url} does not return JSON`);
  }
}

/** The issuer's published document is unusable. */
class Unusable extends Error {}

function keySetOf(set: object): CompactVerifyGetKey {
  try {
    return createLocalJWKSet(set as JSONWebKeySet);
  } catch {
    throw new Unusable("its keys are not a JSON Web Key Set");
  }
}

function failureOf(error: unknown): string {
  return error instanceof OutboundError || error instanceof Unusable ? error.message : "its answer can't be read";
}
