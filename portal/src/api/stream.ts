import type { Client } from "@mooring/client";
import { QUERY_ROUTES, type BodyOf } from "@mooring/contract";
import { ResultReader, type ResultColumn, type ResultEnd, type ResultRow } from "./stream-lines.ts";

export type { QueryStatistics, ResultColumn, ResultEnd, ResultRow } from "./stream-lines.ts";

export type QueryRequest = BodyOf<typeof QUERY_ROUTES.query>;

/** The parts of a query's answer, in this order: the columns once, rows as they arrive, the end once. */
export type QueryEvent =
  | { readonly kind: "columns"; readonly columns: readonly ResultColumn[] }
  | { readonly kind: "rows"; readonly rows: readonly ResultRow[] }
  | { readonly kind: "end"; readonly end: ResultEnd };

/** The query failed after its first rows had arrived. */
export class BrokenOffError extends Error {
  readonly code: string;

  constructor(code: string, detail: string) {
    super(`The result is incomplete: ${detail} (${code})`);
    this.name = "BrokenOffError";
    this.code = code;
  }
}

/**
 * Runs a statement and yields its rows as they arrive. Aborting the signal also cancels the query on the server. It
 * uses JSON and not NDJSON, because NDJSON has its figures in a trailer field, which browsers do not expose.
 * @throws ApiError, UnreachableError, BrokenOffError
 */
export async function* streamQuery(
  client: Client,
  body: QueryRequest,
  signal: AbortSignal,
): AsyncGenerator<QueryEvent, void> {
  const response = await client.send({
    purpose: "run the query",
    method: "POST",
    url: client.addresses.query_url + QUERY_ROUTES.query.path,
    headers: { accept: "application/json" },
    body: JSON.stringify(body),
    signal,
  });
  const reader = new ResultReader();
  let columnsTold = false;
  for await (const piece of piecesOf(response, signal)) {
    const rows = reader.push(piece);
    if (!columnsTold && reader.columns !== null) {
      columnsTold = true;
      yield { kind: "columns", columns: reader.columns };
    }
    if (rows.length > 0) yield { kind: "rows", rows };
  }
  const { end } = reader;
  if (end === null) throw new BrokenOffError("unknown", "the connection ended early; run it again");
  if (end.error !== undefined) throw new BrokenOffError(end.error.code, end.error.detail);
  yield { kind: "end", end };
}

/**
 * Returns a complete result. For statements that return few rows.
 * @throws ApiError, UnreachableError, BrokenOffError
 */
export async function smallQuery(
  client: Client,
  body: QueryRequest,
  signal: AbortSignal,
): Promise<{ rows: ResultRow[]; end: ResultEnd }> {
  const rows: ResultRow[] = [];
  for await (const event of streamQuery(client, body, signal)) {
    if (event.kind === "rows") rows.push(...event.rows);
    if (event.kind === "end") return { rows, end: event.end };
  }
  throw new BrokenOffError("unknown", "the connection ended early; run it again");
}

/** Yields text as it arrives. It uses a reader, since Safari's streams have no async iterator. */
async function* piecesOf(response: Response, signal: AbortSignal): AsyncGenerator<string, void> {
  if (response.body === null) return;
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      yield decoder.decode(value, { stream: true });
    }
    yield decoder.decode();
  } catch (error) {
    signal.throwIfAborted();
    throw new BrokenOffError("unknown", error instanceof Error ? error.message : "the connection broke");
  } finally {
    void reader.cancel().catch(() => {});
  }
}
