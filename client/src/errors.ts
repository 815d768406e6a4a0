/** A place in a request's body that has an error. */
export interface Place {
  /** RFC 6901. */
  readonly pointer: string;
  readonly detail: string;
}

/** A place in a statement, counted from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** The server refused the request (RFC 9457). */
export class ApiError extends Error {
  readonly status: number;
  /** Stable, see docs/reference/errors.md. `unknown` if a proxy answered instead of the server. */
  readonly code: string;
  readonly places: readonly Place[];
  /** The place of the error in a statement, if the server names it. */
  readonly position: Position | null;
  readonly requestId: string | null;
  /** From `Retry-After`; null if the answer has none. */
  readonly retryAfterMs: number | null;

  constructor(purpose: string, status: number, problem: ProblemAnswer, retryAfterMs: number | null) {
    super(refusal(purpose, status, problem));
    this.name = "ApiError";
    this.status = status;
    this.code = problem.code;
    this.places = problem.errors;
    this.position = problem.position ?? null;
    this.requestId = problem.requestId;
    this.retryAfterMs = retryAfterMs;
  }
}

/** There was no answer: the server does not run, or the connection broke. */
export class UnreachableError extends Error {
  constructor(purpose: string, url: string, cause: unknown) {
    super(
      `cannot ${purpose}: ${new URL(url).origin} can't be reached (${reasonOf(cause)}); is the server running, and the address right?`,
      { cause },
    );
    this.name = "UnreachableError";
  }
}

interface ProblemAnswer {
  readonly code: string;
  readonly detail: string;
  readonly requestId: string | null;
  readonly errors: readonly Place[];
  readonly position?: Position | null;
}

export async function apiError(purpose: string, response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => "");
  return new ApiError(purpose, response.status, problemAnswer(response, text), retryAfterMs(response.headers));
}

/** Parses our problem details, OAuth's own format (RFC 6749 section 5.2), or the answer of a proxy. */
function problemAnswer(response: Response, text: string): ProblemAnswer {
  const requestId = response.headers.get("request-id");
  try {
    const body = JSON.parse(text) as Record<string, unknown>;
    const errors = Array.isArray(body["errors"]) ? (body["errors"] as Place[]) : [];
    const code = textOf(body["code"], body["error"]) ?? "unknown";
    return {
      code,
      detail: textOf(body["detail"], body["error_description"]) ?? code,
      requestId,
      errors,
      position: positionOf(body["position"]),
    };
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
  return `cannot ${purpose}: ${problem.detail} (${status} ${problem.code}${id})${places}`;
}

/** Parses seconds or a date (RFC 9110 section 10.2.3); null for anything else. */
function retryAfterMs(headers: Headers): number | null {
  const text = headers.get("retry-after");
  if (text === null) return null;
  if (/^\d{1,6}$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  const sent = Date.parse(headers.get("date") ?? "");
  return Number.isNaN(at) || Number.isNaN(sent) ? null : Math.max(0, at - sent);
}

/** Returns the innermost cause: `connect ECONNREFUSED 127.0.0.1:8080` rather than `fetch failed`. */
function reasonOf(error: unknown): string {
  let reason = error;
  while (reason instanceof Error && reason.cause instanceof Error) reason = reason.cause;
  if (!(reason instanceof Error)) return String(reason);
  const code = "code" in reason && typeof reason.code === "string" ? reason.code : undefined;
  if (code === "ECONNREFUSED") return "connection refused";
  return reason.message === "" ? (code ?? reason.name) : reason.message;
}

function positionOf(value: unknown): Position | null {
  const { line, column } = (value ?? {}) as Partial<Position>;
  return typeof line === "number" && typeof column === "number" ? { line, column } : null;
}
