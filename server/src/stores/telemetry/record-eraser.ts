import { createInterface } from "node:readline";
import type { Writer } from "#stores/metadata/index.ts";
import type { RecordTable } from "./records/index.ts";
import { whereSql, type EraseRecords } from "./retention/index.ts";
import type { TelemetryStore } from "./types.ts";

/**
 * Deletes rows of a table by their identifiers. `count` gets the number of rows in the transaction that deletes them.
 */
export type RemoveRecords = (
  orgId: string,
  ids: readonly string[],
  count: (tx: Writer, rows: number) => Promise<void>,
) => Promise<void>;

export interface RecordEraserParts {
  readonly query: TelemetryStore["query"];
  /** Deletes the files of a table, which may have the erased rows. */
  readonly forget: (table: RecordTable) => Promise<void>;
  /** Undefined: records can't be erased. */
  readonly remove: RemoveRecords | undefined;
}

const TABLE = "webhook_events";
const PAGE = 500;
const TIMEOUT_MS = 600_000;
const MEMORY_BYTES_MAX = 512 * 1024 * 1024;
const ROWS_MAX = 1_000_000;
const ACTOR = { kind: "credential", id: "system" } as const;

/** Erases events of webhooks. DuckDB chooses the rows, so that a condition means the same for every table. */
export function recordEraser({ query, forget, remove }: RecordEraserParts): EraseRecords {
  return async ({ orgId, predicate }, count, signal) => {
    if (remove === undefined) throw new Error("this store can't erase records");
    const { where = "false" } = predicate.match;
    const sql = `SELECT id FROM ${TABLE} WHERE ${whereSql(where, predicate)}`;
    for (let left = true; left;) {
      left = false;
      const { body } = await query({
        orgId,
        sql,
        origin: { actor: ACTOR, surface: "erasure", requestId: null },
        visible: "all",
        parameters: [],
        format: "ndjson",
        records: () => undefined,
        timeoutMs: TIMEOUT_MS,
        memoryBytesMax: MEMORY_BYTES_MAX,
        rowsMax: ROWS_MAX,
        truncate: true,
        signal,
      });
      for await (const ids of pagesOf(body)) {
        left = true;
        await remove(orgId, ids, count);
      }
    }
    await forget(TABLE);
  };
}

/** @throws Error when the result ends with an error */
async function* pagesOf(body: NodeJS.ReadableStream): AsyncGenerator<string[]> {
  let page: string[] = [];
  for await (const line of createInterface({ input: body })) {
    const { id, error } = JSON.parse(line) as { id?: string; error?: { code: string } };
    if (error !== undefined) throw new Error(`cannot read the rows to erase: ${error.code}`);
    if (id === undefined) continue;
    page.push(id);
    if (page.length < PAGE) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}
