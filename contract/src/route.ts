import type { Static, TObject, TSchema } from "typebox";
import type { Scope } from "./scopes.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/**
 * What a caller needs. A scope: a token that holds it. `authenticated`: any valid token. `public`: nothing;
 * such a row says why in `publicReason`. `session`: a person's browser session, by its cookie; `instance`: one of a person who
 * runs the server.
 */
export type Permission = Scope | "authenticated" | "public" | "session" | "instance";

/** Fields of a request, beside those of HTTP itself, that a row may honour, and what each does. */
export const REQUEST_HEADERS = {
  "If-Match":
    "The `ETag` of a GET, to change only the version that was read: 409 when it has changed since. Without it, a change is refused when another one commits first; `*` accepts any version.",
  "Idempotency-Key": "Makes a retry safe: the same key and body within 24 h runs once.",
  Prefer: "`handling=lenient` accepts the valid entries and reports the others (RFC 7240).",
} as const;

export type RequestHeader = keyof typeof REQUEST_HEADERS;

/** One operation of the JSON API. Validation, types, OpenAPI and the coverage test come from it. */
export interface Route<
  P extends TObject = TObject,
  Q extends TObject = TObject,
  B extends TSchema = TSchema,
  R extends TSchema = TSchema,
> {
  readonly operationId: string;
  readonly method: Method;
  /** OpenAPI form: `/v1/projects/{project_id}`. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly permission: Permission;
  readonly publicReason?: string;
  /** A browser must have sent it from the portal's own pages; every row of a session that changes something is so anyway. */
  readonly sameOrigin?: boolean;
  /** A person must have confirmed their identity within ten minutes; a credential needs no confirmation. */
  readonly recentSignIn?: boolean;
  readonly params?: P;
  readonly query?: Q;
  /** The request headers that it honours; `idempotent` means `Idempotency-Key` by itself. */
  readonly headers?: readonly RequestHeader[];
  readonly body?: B;
  /** Media types of the body other than JSON, and the body's meaning then. Only with `rawBody`. */
  readonly otherBodies?: Readonly<Record<string, string>>;
  /** Body of the success answer; absent for 204. */
  readonly result?: R;
  /** Media type of the success answer when it is not JSON; `result` then says in words what it is. */
  readonly resultType?: string;
  readonly status: 200 | 201 | 202 | 204;
  /** Codes of problems that this operation answers on top of those that every operation can (401, 403, 429, 5xx). */
  readonly problems: readonly string[];
  /** Honours `Idempotency-Key` (POSTs that create). */
  readonly idempotent?: boolean;
  /** The body is not the JSON described here but is read by the surface itself (streams, formats, codings). */
  readonly rawBody?: boolean;
}

export type ParamsOf<T> = T extends { params: infer P extends TSchema } ? Static<P> : Record<never, never>;
export type QueryOf<T> = T extends { query: infer Q extends TSchema } ? Static<Q> : Record<never, never>;
export type BodyOf<T> = T extends { body: infer B extends TSchema } ? Static<B> : undefined;
export type ResultOf<T> = T extends { result: infer R extends TSchema } ? Static<R> : undefined;

/** Keeps the exact types of a row while checking its form. */
export function route<
  const T extends Omit<Route, "params" | "query" | "body" | "result"> & {
    params?: TObject;
    query?: TObject;
    body?: TSchema;
    result?: TSchema;
  },
>(row: T): T {
  return row;
}
