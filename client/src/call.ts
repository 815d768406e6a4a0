import type { BodyOf, ParamsOf, QueryOf, RequestHeader, Route } from "@mooring/contract";

/** The input type of a caller: lists may be readonly, and `undefined` is the same as a missing member. */
type Given<T> = T extends readonly (infer I)[]
  ? readonly Given<I>[]
  : T extends object
    ? { readonly [K in keyof T]: object extends Pick<T, K> ? Given<T[K]> | undefined : Given<T[K]> }
    : T;

/** The header fields that a row accepts, by its `headers` and `idempotent`. */
type HeaderOf<T> =
  | (T extends { headers: readonly (infer H extends RequestHeader)[] } ? H : never)
  | (T extends { idempotent: true } ? "Idempotency-Key" : never);

/** The input of an operation: those of path parameters, query parameters and body that the row has. */
export type CallInput<T> = (T extends { params: unknown } ? { readonly params: Given<ParamsOf<T>> } : object) &
  (T extends { query: unknown } ? { readonly query?: Given<QueryOf<T>> } : object) &
  (T extends { body: unknown } ? { readonly body: Given<BodyOf<T>> } : object) &
  ([HeaderOf<T>] extends [never]
    ? object
    : { readonly headers?: { readonly [H in HeaderOf<T>]?: string | null | undefined } }) & {
    /** Completes `cannot <purpose>: …`; by default the row's summary. */
    readonly purpose?: string;
    readonly signal?: AbortSignal;
    /** Limit of each attempt. Default: the client's limit. */
    readonly timeoutMs?: number;
  };

/** Row and input without their types. */
export interface AnyCall {
  readonly params?: object;
  readonly query?: object;
  readonly body?: unknown;
  readonly headers?: { readonly [H in RequestHeader]?: string | null | undefined };
  readonly purpose?: string;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

/** Returns the path and query of a call, with every value encoded. */
export function targetOf(row: Pick<Route, "path">, { params = {}, query = {} }: AnyCall): string {
  const values = new Map<string, unknown>(Object.entries(params));
  const path = row.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(textOf(values.get(name))));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query) as [string, unknown][])
    for (const each of Array.isArray(value) ? (value as unknown[]) : [value])
      if (each !== undefined) search.append(name, textOf(each));
  return search.size === 0 ? path : `${path}?${search.toString()}`;
}

/**
 * Returns the header fields of a call. A call that creates something gets a new idempotency key if the caller gave
 * none.
 */
export function headersOf(
  { idempotent = false }: Pick<Route, "idempotent">,
  { headers = {} }: AnyCall,
): Record<string, string> {
  const given = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === "string" ? [[name.toLowerCase(), value] as const] : [],
  );
  return { ...(idempotent ? { "idempotency-key": globalThis.crypto.randomUUID() } : {}), ...Object.fromEntries(given) };
}

/**
 * Whether sending the request twice has the same effect as once, because of its method (RFC 9110 section 9.2.2) or its
 * idempotency key.
 */
export function isRepeatable(
  { method, idempotent = false }: Pick<Route, "method" | "idempotent">,
  { headers }: AnyCall,
): boolean {
  return (
    idempotent ||
    typeof headers?.["Idempotency-Key"] === "string" ||
    method === "GET" ||
    method === "PUT" ||
    method === "DELETE"
  );
}

/** The part of a summary that error messages leave out, because it does not describe the action. */
const ASIDE = /[;:].*$|, (?:newest|oldest) first.*$/;

/** Turns `List credentials, newest first; without their secrets` into `list credentials`. */
export function purposeOf({ summary }: Pick<Route, "summary">): string {
  return summary.charAt(0).toLowerCase() + summary.slice(1).replace(ASIDE, "");
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
