import type { ResultOf, Route } from "@mooring/contract";
import { originOf, type Addresses } from "./addresses.ts";
import { headersOf, isRepeatable, purposeOf, targetOf, type AnyCall, type CallInput } from "./call.ts";
import { ApiError, apiError, UnreachableError } from "./errors.ts";
import { reach } from "./reach.ts";
import { retryBudget, withRetries, type RetryBudgetOptions } from "./retry.ts";
import type { Tokens } from "./tokens.ts";
import { versionFields } from "./version.ts";

/** A request that no row describes: streams, formats, presigned URLs. */
export interface ApiRequest {
  /** Completes the error message `cannot <purpose>: …`. */
  readonly purpose: string;
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON unless `headers` says otherwise. */
  readonly body?: string | Blob | undefined;
  readonly signal?: AbortSignal | undefined;
}

type ItemOf<T> = ResultOf<T> extends { items: readonly (infer I)[] } ? I : never;

/** A resource as it was read, with the entity tag of that version. */
export interface Versioned<T> {
  readonly value: T;
  readonly etag: string | null;
}

/** Calls a server. It renews tokens before they expire, and again after a 401. */
export interface Client {
  readonly addresses: Addresses;
  /**
   * Calls one operation. Retries a repeatable call a few times when there is no answer or the server is unavailable. A
   * call that creates something gets an `Idempotency-Key`, so that it creates one thing. Each
   * attempt has a time limit.
   * @throws ApiError, UnreachableError
   */
  call<const T extends Route>(row: T, input: CallInput<T>): Promise<ResultOf<T>>;
  /**
   * As `call`, with the entity tag of the version that was read or created, for a later `If-Match`.
   * @throws as above
   */
  read<const T extends Route>(row: T, input: CallInput<T>): Promise<Versioned<ResultOf<T>>>;
  /** Yields the items of a list, and reads page after page. @throws ApiError, UnreachableError */
  items<const T extends Route>(row: T, input: CallInput<T>): AsyncGenerator<ItemOf<T>>;
  /**
   * Sends the request once, without a time limit. Resolves with a 2xx answer when its body begins. @throws ApiError,
   * UnreachableError
   */
  send(request: ApiRequest): Promise<Response>;
  /** @throws ApiError, UnreachableError */
  json<T>(request: ApiRequest): Promise<T>;
}

export interface ClientOptions {
  readonly addresses: Addresses;
  /** Null in a browser: no `Authorization` is sent, because the session cookie identifies the person. */
  readonly tokens: Tokens | null;
  /** The time limit of each attempt of `call`, `read` and `items`, unless the call has its own. */
  readonly timeoutMs?: number;
  /** Limit of the retries of all calls. */
  readonly retryBudget?: RetryBudgetOptions;
}

/** The error of a token whose person has to prove their identity again (RFC 9470). */
const PROOF_ASKED = "insufficient_user_authentication";
const PAGE = 100;
/** Longer than the server's time limit of a query. */
const TIMEOUT_MS = 90_000;

export function createClient({
  addresses,
  tokens,
  timeoutMs: limitMs = TIMEOUT_MS,
  ...options
}: ClientOptions): Client {
  const budget = retryBudget(options.retryBudget);
  const sendOnce = async (request: ApiRequest): Promise<Response> => {
    if (tokens === null) return accepted(request, await fetchOnce(request, null));
    const first = await tokens.get();
    const response = await fetchOnce(request, first);
    if (response.status !== 401 || asksForProof(response)) return accepted(request, response);
    await response.body?.cancel();
    return accepted(request, await fetchOnce(request, await tokens.get(first)));
  };
  /** Runs it again after a new proof of the person. The time that they need is not limited. */
  const proved = async <T>(run: () => Promise<T>): Promise<T> => {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== PROOF_ASKED || (await tokens?.prove?.()) !== true) throw error;
      return run();
    }
  };
  const send = (request: ApiRequest): Promise<Response> => proved(() => sendOnce(request));
  const read = async (row: Route, input: AnyCall): Promise<Versioned<unknown>> => {
    const request = requestOf(addresses, row, input);
    const { signal, timeoutMs = limitMs } = input;
    const once = async (): Promise<Versioned<unknown>> =>
      withTimeout(request, timeoutMs, async (limited) => {
        const response = await sendOnce(limited);
        const value: unknown = response.status === 204 ? undefined : await response.json();
        return { value, etag: response.headers.get("etag") };
      });
    return proved(() => (isRepeatable(row, input) ? withRetries(once, { signal, budget }) : once()));
  };
  const call = async (row: Route, input: AnyCall): Promise<unknown> => (await read(row, input)).value;
  async function* items(row: Route, input: AnyCall): AsyncGenerator<unknown> {
    let query: object = { limit: PAGE, ...input.query };
    for (;;) {
      const page = (await call(row, { ...input, query })) as { items: unknown[]; next_cursor?: string | null };
      yield* page.items;
      if (typeof page.next_cursor !== "string") return;
      query = { ...query, cursor: page.next_cursor };
    }
  }
  return {
    addresses,
    // The rows give the types; the code uses only members that every row has.
    call: call as Client["call"],
    read: read as Client["read"],
    items: items as Client["items"],
    send,
    json: async <T>(request: ApiRequest): Promise<T> => (await send(request)).json() as Promise<T>,
  };
}

function asksForProof(response: Response): boolean {
  return response.headers.get("www-authenticate")?.includes(`error="${PROOF_ASKED}"`) === true;
}

function requestOf(addresses: Addresses, row: Route, input: AnyCall): ApiRequest {
  const { body, signal, purpose = purposeOf(row) } = input;
  return {
    purpose,
    method: row.method,
    url: originOf(addresses, row.path) + targetOf(row, input),
    headers: headersOf(row, input),
    body: body === undefined ? undefined : JSON.stringify(body),
    signal,
  };
}

async function fetchOnce(request: ApiRequest, token: string | null): Promise<Response> {
  const { method = "GET", url, body, signal } = request;
  const headers = {
    ...versionFields(url),
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...request.headers,
  };
  return reach(request.purpose, url, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** Returns the answer with its body. A timeout throws `UnreachableError`, which can be retried. */
async function withTimeout<T>(
  request: ApiRequest,
  timeoutMs: number,
  run: (limited: ApiRequest) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new Error(`no answer within ${timeoutMs / 1000} s`)), timeoutMs);
  const signals = request.signal === undefined ? [limit.signal] : [request.signal, limit.signal];
  try {
    return await run({ ...request, signal: AbortSignal.any(signals) });
  } catch (error) {
    if (request.signal?.aborted === true || !limit.signal.aborted) throw error;
    throw error instanceof UnreachableError
      ? error
      : new UnreachableError(request.purpose, request.url, limit.signal.reason);
  } finally {
    clearTimeout(timer);
  }
}

async function accepted(request: ApiRequest, response: Response): Promise<Response> {
  if (response.ok) return response;
  throw await apiError(request.purpose, response);
}
