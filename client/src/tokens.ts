import type { Addresses } from "./addresses.ts";
import { apiError } from "./errors.ts";
import { reach } from "./reach.ts";
import { pause } from "./retry.ts";
import { versionFields } from "./version.ts";

/** The source of the token in the `Authorization` field, without `Bearer `. */
export interface Tokens {
  /** Returns a valid token other than `refused`, which the server did not accept. @throws ApiError, UnreachableError */
  get(refused?: string): Promise<string>;
  /**
   * Asks the person for a new proof (RFC 9470), so that the next token has it. False: nobody can be asked.
   * @throws ApiError, UnreachableError
   */
  prove?(): Promise<boolean>;
}

/** An app's credential. */
export interface ClientCredential {
  readonly clientId: string;
  readonly clientSecret: string;
}

interface Token {
  readonly text: string;
  /** From this time on, a new token is requested. */
  readonly renewAtMs: number;
}

const TIMEOUT_MS = 15_000;
/** Tokens are renewed after this part of their lifetime. */
const RENEW_AT = 0.8;
const ATTEMPTS_MAX = 4;

/** Gets tokens by client credentials (RFC 6749 section 4.4). */
export function clientCredentials(
  addresses: Pick<Addresses, "identity_url">,
  credential: ClientCredential,
  nowMs: () => number,
): Tokens {
  return renewed(() => takeToken(addresses, credential), nowMs);
}

/** The server's answer with a token. */
export interface TokenAnswer {
  readonly access_token: string;
  /** Seconds. */
  readonly expires_in: number;
}

/** Keeps a token until four fifths of its lifetime are over, or the server refuses it. */
export function renewed(take: () => Promise<TokenAnswer>, nowMs: () => number): Tokens {
  const taken = async (): Promise<Token> => {
    const askedMs = nowMs();
    const { access_token: text, expires_in: lifeS } = await take();
    return { text, renewAtMs: askedMs + lifeS * 1000 * RENEW_AT };
  };
  let latest: Promise<Token> | null = null;
  const renew = (): Promise<Token> => {
    const renewal = taken();
    latest = renewal;
    renewal.catch(() => {
      if (latest === renewal) latest = null;
    });
    return renewal;
  };
  return {
    get: async (refused) => {
      const seen = latest;
      const present = seen === null ? null : await seen;
      if (present !== null && present.text !== refused && nowMs() < present.renewAtMs) return present.text;
      // The first call starts the renewal, and all calls that saw the same token wait for it.
      return (await (latest === seen || latest === null ? renew() : latest)).text;
    },
  };
}

/** Sends the credential in the `Authorization` field (section 2.3.1). */
async function takeToken(
  addresses: Pick<Addresses, "identity_url">,
  credential: ClientCredential,
): Promise<TokenAnswer> {
  const pair = `${formEncoded(credential.clientId)}:${formEncoded(credential.clientSecret)}`;
  for (let attempt = 1; ; attempt++) {
    const response = await reach("take a token", `${addresses.identity_url}/oauth/token`, {
      method: "POST",
      headers: {
        ...versionFields(addresses.identity_url),
        authorization: `Basic ${btoa(pair)}`, // the form encoding leaves only ASCII
        "content-type": "application/x-www-form-urlencoded",
      },
      body: "grant_type=client_credentials",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (response.ok) return (await response.json()) as TokenAnswer;
    const error = await apiError("take a token", response);
    if (attempt >= ATTEMPTS_MAX || error.status !== 503) throw error;
    await pause(error.retryAfterMs ?? 500 * attempt);
  }
}

function formEncoded(text: string): string {
  return new URLSearchParams({ v: text }).toString().slice(2);
}
