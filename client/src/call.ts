import type { BodyOf, ParamsOf, QueryOf, RequestHeader, Route } from "@mooring/contract";

/** As a caller may give it: readonly lists, and `undefined` for members that are left out. */
type Given<T> = T extends readonly (infer I)[]
  ? readonly Given<I>[]
  : T extends object
    ? { readonly [K in keyof T]: object extends Pick<T, K> ? Given<T[K]> | undefined : Given<T[K]> }
    : T;

/** Fields that a row honours, as its `headers` and `idempotent` say. */
type HeaderOf<T> =
  | (T extends { headers: readonly (infer H extends RequestHeader)[] } ? H : never)
  | (T extends { idempotent: true } ? "Idempotency-Key" : never);

/** What an operation's row asks for: parameters of the path, of the query, and a body, each where the row has one. */
export type CallInput<T> = (T extends { params: unknown } ? { readonly params: Given<ParamsOf<T>> } : object) &
  (T extends { query: unknown } ? { readonly query?: Given<QueryOf<T>> } : object) &
  (T extends { body: unknown } ? { readonly body: Given<BodyOf<T>> } : object) &
  ([HeaderOf<T>] extends [never]
    ? object
    : { readonly headers?: { readonly [H in HeaderOf<T>]?: string | null | undefined } }) & {
    /** What the call is for, as in `cannot <purpose>: …`; the row's summary when absent. */
    readonly purpose?: string;
    readonly signal?: AbortSignal;
  };

/** Row and input without their types. */
export interface AnyCall {
  readonly params?: object;
  readonly query?: object;
  readonly body?: unknown;
  readonly headers?: { readonly [H in RequestHeader]?: string | null | undefined };
  readonly purpose?: string;
  readonly signal?: AbortSignal;
}

/** Path and query of a call, every value encoded. */
export function targetOf(row: Pick<Route, "path">, { params = {}, query = {} }: AnyCall): string {
  const values = new Map<string, unknown>(Object.entries(params));
  const path = row.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(textOf(values.get(name))));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query) as [string, unknown][])
    for (const each of Array.isArray(value) ? (value as unknown[]) : [value])
      if (each !== undefined) search.append(name, textOf(each));
  return search.size === 0 ? path : `${path}?${search.toString()}`;
}

/** The header fields of a call; a call that creates something gets a new idempotency key unless one was given. */
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
 * Whether a repetition has the effect of one request: by its method (RFC 9110 section 9.2.2), or because it has an
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

/** This part of a summary describes the whole row, and does not belong into an error. */
const ASIDE = /[;:].*$|, (?:newest|oldest) first.*$/;

/** `list credentials`, out of a summary such as `List credentials, newest first; without their secrets`. */
export function purposeOf({ summary }: Pick<Route, "summary">): string {
  return summary.charAt(0).toLowerCase() + summary.slice(1).replace(ASIDE, "");
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
