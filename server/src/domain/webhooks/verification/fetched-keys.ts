import { X509Certificate } from "node:crypto";
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";
import type { Clock } from "#kernel/time.ts";
import type { Outbound } from "#stores/outbound/index.ts";
import { KeyRefusal, KeysUnavailable, type KeySource } from "./outcome.ts";

interface Read<T> {
  readonly value: Promise<T>;
  readonly atMs: number;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * 60_000;
/** A request waits no longer for the sender's keys. */
const WAIT_MS = 2000;
/** After a failure, the address is not asked again for this time. */
const FAILED_MS = 10_000;
/** A token with an unknown key makes the server read the keys again, if they are older. */
const RENEWED_MS = 60_000;
const BYTES_MAX = 64 * 1024;
/** Beyond this number the oldest document is dropped. */
const DOCUMENTS_MAX = 200;
/** The most requests to senders in a minute for one organization, so that none uses up those of others. */
const REQUESTS_A_MINUTE = 20;
const ORGANIZATIONS_MAX = 10_000;

/**
 * The certificates and keys that senders publish, cached for a day. Their authenticity is that of the host: the caller
 * accepts only hosts that the sender's recipe names, and the connection verifies the host's certificate (RFC 9110,
 * section 4.3.4).
 */
export class FetchedKeys {
  readonly #outbound: Pick<Outbound, "get">;
  readonly #clock: Clock;
  readonly #certificates = new Map<string, Read<X509Certificate>>();
  readonly #keySets = new Map<string, Read<JWTVerifyGetKey>>();
  readonly #requests = new Map<string, { readonly startMs: number; count: number }>();

  constructor({ outbound, clock }: { readonly outbound: Pick<Outbound, "get">; readonly clock: Clock }) {
    this.#outbound = outbound;
    this.#clock = clock;
  }

  /** Returns the keys for requests to webhooks of an organization. */
  of(orgId: string): KeySource {
    return { certificate: (url) => this.#certificate(url, orgId), keySet: (url) => this.#keySet(url, orgId) };
  }

  async #certificate(url: string, orgId: string): Promise<X509Certificate> {
    const certificate = await this.#cached(this.#certificates, url, { orgId, ageMs: DAY_MS, parse: certificateOf });
    const nowMs = this.#clock.nowMs();
    if (nowMs < certificate.validFromDate.getTime() || nowMs > certificate.validToDate.getTime())
      throw new KeyRefusal(`the certificate is valid from ${certificate.validFrom} to ${certificate.validTo}`);
    return certificate;
  }

  #keySet(url: string, orgId: string): Promise<JWTVerifyGetKey> {
    const read = (ageMs: number): Promise<JWTVerifyGetKey> =>
      this.#cached(this.#keySets, url, { orgId, ageMs, parse: keySetOf });
    const keyFor: JWTVerifyGetKey = async (head, token) => {
      try {
        return await (
          await read(DAY_MS)
        )(head, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        return (await read(RENEWED_MS))(head, token);
      }
    };
    return Promise.resolve(keyFor);
  }

  /** Returns the cached value, or reads it. Requests that need the same document wait for one reading. */
  async #cached<T>(
    known: Map<string, Read<T>>,
    url: string,
    { orgId, ageMs, parse }: { readonly orgId: string; readonly ageMs: number; readonly parse: (bytes: Buffer) => T },
  ): Promise<T> {
    const nowMs = this.#clock.nowMs();
    const found = known.get(url);
    if (found !== undefined && Math.abs(nowMs - found.atMs) < ageMs) return found.value;
    const value = this.#read(url, orgId).then(parse);
    known.delete(url);
    known.set(url, { value, atMs: nowMs });
    const [oldest = url] = known.keys();
    if (known.size > DOCUMENTS_MAX) known.delete(oldest);
    const isValid = found !== undefined && Math.abs(nowMs - found.atMs) < DAY_MS;
    // After a failure the former document stays valid. Without one the failure is remembered for a short time.
    value.catch(() => known.set(url, isValid ? found : { value, atMs: nowMs - DAY_MS + FAILED_MS }));
    return value;
  }

  async #read(url: string, orgId: string): Promise<Buffer> {
    this.#count(orgId);
    const signal = AbortSignal.timeout(WAIT_MS);
    const answer = await this.#outbound
      .get({ url, headers: {}, bytesMax: BYTES_MAX, signal })
      .catch((error: unknown) => {
        throw new KeysUnavailable(`cannot read ${url}: ${(error as Error).message}`, { cause: error });
      });
    if (answer.status >= 500) throw new KeysUnavailable(`${url} answers ${answer.status}`);
    if (answer.status !== 200) throw new KeyRefusal(`${url} answers ${answer.status}`); // a redirect is refused, too
    return answer.body;
  }

  #count(orgId: string): void {
    const nowMs = this.#clock.nowMs();
    const known = this.#requests.get(orgId);
    if (known === undefined || Math.abs(nowMs - known.startMs) >= MINUTE_MS) {
      if (this.#requests.size >= ORGANIZATIONS_MAX) this.#requests.clear();
      this.#requests.set(orgId, { startMs: nowMs, count: 1 });
      return;
    }
    known.count += 1;
    if (known.count > REQUESTS_A_MINUTE)
      throw new KeysUnavailable(
        `${REQUESTS_A_MINUTE} keys of senders were already read for the organization in this minute`,
      );
  }
}

function certificateOf(bytes: Buffer): X509Certificate {
  try {
    return new X509Certificate(bytes);
  } catch {
    throw new KeyRefusal("the address of the certificate returns no certificate");
  }
}

function keySetOf(bytes: Buffer): JWTVerifyGetKey {
  try {
    return createLocalJWKSet(JSON.parse(bytes.toString()) as JSONWebKeySet);
  } catch {
    throw new KeyRefusal("the address of the keys returns no JSON Web Key Set");
  }
}
