import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "#kernel/time.ts";
import type { Addresses } from "../addresses.ts";
import { ExitCode } from "./command.ts";

/** Who the command line speaks for. */
export interface ClientCredential {
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface ApiRequest {
  /** What the request is for, as in `cannot <purpose>: …`. */
  readonly purpose: string;
  readonly method?: "GET" | "POST" | "PATCH" | "DELETE";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON unless `headers` says otherwise. */
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Calls a server with a token that it takes, renews before it expires, and renews once more on 401. */
export interface Client {
  readonly addresses: Addresses;
  /** Resolves with a 2xx answer. @throws ApiError, UnreachableError */
  send(request: ApiRequest): Promise<Response>;
  /** @throws ApiError, UnreachableError */
  json<T>(request: ApiRequest): Promise<T>;
}

/** The server answered, and the answer is a refusal. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly places: readonly { readonly pointer: string; readonly detail: string }[];
  /** From `Retry-After`; null without one. */
  readonly retryAfterMs: number | null;
  readonly exitCode: number;

  constructor(purpose: string, status: number, problem: ProblemAnswer, retryAfterMs: number | null) {
    super(refusal(purpose, status, problem));
    this.name = "ApiError";
    this.status = status;
    this.code = problem.code;
    this.places = problem.errors;
    this.retryAfterMs = retryAfterMs;
    this.exitCode = exitCodeOfStatus(status);
  }
}

/** No answer: the server is not there, or the connection broke. */
export class UnreachableError extends Error {
  readonly exitCode = ExitCode.unreachable;

  constructor(purpose: string, url: string, cause: unknown) {
    super(
      `cannot ${purpose}: ${new URL(url).origin} can't be reached (${reasonOf(cause)}); is the server running, and the address right?`,
      {
        cause,
      },
    );
    this.name = "UnreachableError";
  }
}

interface ProblemAnswer {
  readonly code: string;
  readonly detail: string;
  readonly requestId: string | null;
  readonly errors: readonly { readonly pointer: string; readonly detail: string }[];
}

interface Token {
  readonly text: string;
  /** A new one is taken from here on. */
  readonly renewAtMs: number;
}

const TOKEN_TIMEOUT_MS = 15_000;
/** Tokens are renewed at this part of their life. */
const RENEW_AT = 0.8;
const TOKEN_ATTEMPTS_MAX = 4;

export function createClient(addresses: Addresses, credential: ClientCredential, clock: Clock): Client {
  let token: Promise<Token> | null = null;
  const fresh = async (stale: Token | null): Promise<Token> => {
    const present = token === null ? null : await token;
    const good = present !== null && present !== stale && clock.nowMs() < present.renewAtMs;
    if (good) return present;
    // Requests that run at the same time wait for one renewal.
    token = takeToken(addresses, credential, clock);
    token.catch(() => {
      token = null;
    });
    return token;
  };
  const send = async (request: ApiRequest): Promise<Response> => {
    const first = await fresh(null);
    const response = await fetchOnce(request, first);
    if (response.status !== 401) return accepted(request, response);
    await response.body?.cancel();
    return accepted(request, await fetchOnce(request, await fresh(first)));
  };
  return {
    addresses,
    send,
    json: async <T>(request: ApiRequest): Promise<T> => (await send(request)).json() as Promise<T>,
  };
}

async function fetchOnce(request: ApiRequest, token: Token): Promise<Response> {
  const { method = "GET", url, body, signal } = request;
  const headers = {
    authorization: `Bearer ${token.text}`,
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

/** `fetch` with an error that says what could not be reached; an abort passes as it is. */
async function reach(purpose: string, url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, redirect: "error" });
  } catch (error) {
    if (init.signal?.aborted === true && (init.signal.reason as Error).name === "AbortError") throw error;
    throw new UnreachableError(purpose, url, error);
  }
}

async function accepted(request: ApiRequest, response: Response): Promise<Response> {
  if (response.ok) return response;
  throw await apiError(request.purpose, response);
}

async function apiError(purpose: string, response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => "");
  return new ApiError(purpose, response.status, problemAnswer(response, text), retryAfterMs(response.headers));
}

/** RFC 6749 section 4.4 with the credential in the `Authorization` field (section 2.3.1). */
async function takeToken(addresses: Addresses, credential: ClientCredential, clock: Clock): Promise<Token> {
  const pair = `${formEncoded(credential.clientId)}:${formEncoded(credential.clientSecret)}`;
  for (let attempt = 1; ; attempt++) {
    const askedMs = clock.nowMs();
    const response = await reach("take a token", `${addresses.identity_url}/oauth/token`, {
      method: "POST",
      headers: {
        authorization: `Basic ${Buffer.from(pair).toString("base64")}`,
        "content-type": "application/x-www-form-urlencoded",
      },
      body: "grant_type=client_credentials",
      signal: AbortSignal.timeout(TOKEN_TIMEOUT_MS),
    });
    if (response.ok) {
      const body = (await response.json()) as { access_token: string; expires_in: number };
      return { text: body.access_token, renewAtMs: askedMs + body.expires_in * 1000 * RENEW_AT };
    }
    const error = await apiError("take a token", response);
    if (attempt >= TOKEN_ATTEMPTS_MAX || error.status !== 503) throw error;
    await delay(error.retryAfterMs ?? 500 * attempt);
  }
}

function formEncoded(text: string): string {
  return new URLSearchParams({ v: text }).toString().slice(2);
}

/** Problem details of ours, or OAuth's own form (RFC 6749 section 5.2), or whatever a proxy on the way said. */
function problemAnswer(response: Response, text: string): ProblemAnswer {
  const requestId = response.headers.get("request-id");
  try {
    const body = JSON.parse(text) as Record<string, unknown>;
    const errors = Array.isArray(body["errors"]) ? (body["errors"] as ProblemAnswer["errors"]) : [];
    const code = textOf(body["code"], body["error"]) ?? "unknown";
    return { code, detail: textOf(body["detail"], body["error_description"]) ?? code, requestId, errors };
  } catch {
    return { code: "unknown", detail: response.statusText || "no reason was given", requestId, errors: [] };
  }
}

function textOf(...values: readonly unknown[]): string | undefined {
  return values.find((value) => typeof value === "string");
}

function refusal(purpose: string, status: number, problem: ProblemAnswer): string {
  const places = problem.errors.map((place) => `\n  ${place.pointer}: ${place.detail}`).join("");
  const id = problem.requestId === null ? "" : `, request id ${problem.requestId}`;
  const hint = HINTS[problem.code];
  return `cannot ${purpose}: ${problem.detail} (${status} ${problem.code}${id})${places}${hint === undefined ? "" : `\n${hint}`}`;
}

const HINTS: Readonly<Record<string, string>> = {
  invalid_client: "Check the client id and secret; mooring bootstrap makes a new credential.",
  insufficient_scope: "Use a credential with that scope; mooring credential create --scope … makes one.",
};

function exitCodeOfStatus(status: number): number {
  if (status === 401 || status === 403) return ExitCode.denied;
  return status === 429 || status >= 502 ? ExitCode.unreachable : ExitCode.failed;
}

/** Seconds or a date (RFC 9110 section 10.2.3); null when absent or neither. */
function retryAfterMs(headers: Headers): number | null {
  const text = headers.get("retry-after");
  if (text === null) return null;
  if (/^\d{1,6}$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  const sent = Date.parse(headers.get("date") ?? "");
  return Number.isNaN(at) || Number.isNaN(sent) ? null : Math.max(0, at - sent);
}

/** The innermost reason that `fetch` had: `connect ECONNREFUSED 127.0.0.1:8080` rather than `fetch failed`. */
function reasonOf(error: unknown): string {
  let reason = error;
  while (reason instanceof Error && reason.cause instanceof Error) reason = reason.cause;
  if (!(reason instanceof Error)) return String(reason);
  const code = (reason as NodeJS.ErrnoException).code;
  if (code === "ECONNREFUSED") return "connection refused";
  return reason.message === "" ? (code ?? reason.name) : reason.message;
}
