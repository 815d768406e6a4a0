import type { Static, TObject, TSchema } from "typebox";
import type { AccessAction } from "./access-actions.ts";
import type { ResourceKind } from "./resources.ts";
import type { Scope } from "./scopes.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/**
 * The permission that a caller needs. A scope: a token with that scope. `authenticated`: any valid token. `public`:
 * none; such a row gives the reason in `publicReason`. `session`: a person's browser session, by its cookie.
 * `instance`: an operator, by a browser session, a login of the command line, or an operator token.
 */
export type Permission = Scope | "authenticated" | "public" | "session" | "instance";

/** The request fields that a row may accept in addition to those of HTTP itself, and their meaning. */
export const REQUEST_HEADERS = {
  "If-Match":
    "The `ETag` of a GET. Changes only the version that was read: 409 if it has changed since. Without it, 409 only if another change commits during the request. `*` accepts any version.",
  "Idempotency-Key": "Makes a retry safe: requests with the same key and body within 24 h run once.",
  "X-Mooring-Project":
    "The slug or id of the project of all entries, for a sender of the whole organization. 404 if the sender may not write there.",
  Prefer: "`handling=lenient` accepts the valid entries and reports the others (RFC 7240).",
} as const;

export type RequestHeader = keyof typeof REQUEST_HEADERS;

/** Whether an operation only reads, or only takes access away. */
export function isHarmless({ method, endsAccess }: Pick<Route, "method" | "endsAccess">): boolean {
  return method === "GET" || endsAccess === true;
}

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
  /**
   * For a scope with resources: the kind of resource that the operation finds and checks. `unlimited`: it acts on more
   * than single resources, so credentials that are limited to resources are refused.
   */
  readonly resource?: ResourceKind | "unlimited";
  readonly publicReason?: string;
  /**
   * The request must come from the portal's own pages. This always holds for rows of a session that change something.
   */
  readonly sameOrigin?: boolean;
  /** A person must have confirmed their identity within the last ten minutes. A credential needs no confirmation. */
  readonly recentSignIn?: boolean;
  /** It only takes access away, so a read-only organization allows it. */
  readonly endsAccess?: boolean;
  /** Senders may also use an ingest key instead of an access token. */
  readonly takesIngestKeys?: boolean;
  /** Its row in the access log. The first parameter of the path is the target, unless the operation names another one. */
  readonly access?: AccessAction;
  /** People may do it also while their organization is deleted, before its data is. */
  readonly whileDeleting?: boolean;
  readonly params?: P;
  readonly query?: Q;
  /** The request fields that it accepts. `idempotent` already means `Idempotency-Key`. */
  readonly headers?: readonly RequestHeader[];
  readonly body?: B;
  /** Media types of the body other than JSON, and the meaning of the body. Only with `rawBody`. */
  readonly otherBodies?: Readonly<Record<string, string>>;
  /** Body of the success answer; absent for 204. */
  readonly result?: R;
  /** The success answer has a secret. It is never compressed, because its length could then reveal the secret. */
  readonly secret?: true;
  /** Media type of the success answer if it is not JSON; `result` then describes it in words. */
  readonly resultType?: string;
  readonly status: 200 | 201 | 202 | 204;
  /** The problem codes of this operation. All operations can also answer 401, 403, 429 and 5xx. */
  readonly problems: readonly string[];
  /** Accepts `Idempotency-Key` (POSTs that create). */
  readonly idempotent?: boolean;
  /** The surface reads the body itself (streams, formats, codings); it is not the JSON described here. */
  readonly rawBody?: boolean;
}

export type ParamsOf<T> = T extends { params: infer P extends TSchema } ? Static<P> : Record<never, never>;
export type QueryOf<T> = T extends { query: infer Q extends TSchema } ? Static<Q> : Record<never, never>;
export type BodyOf<T> = T extends { body: infer B extends TSchema } ? Static<B> : undefined;
export type ResultOf<T> = T extends { result: infer R extends TSchema } ? Static<R> : undefined;

/** Checks the form of a row and keeps its exact types. */
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
