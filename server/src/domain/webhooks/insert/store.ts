import { CompiledQuery } from "kysely";
import type { MetadataStore, Writer } from "#stores/metadata/index.ts";
import type { EventRow } from "../types.ts";

/** Columns in the order in which `insertEvents` binds them. */
const COLUMNS = [
  "seq",
  "id",
  "org_id",
  "project_id",
  "webhook_id",
  "received_at",
  "method",
  "query",
  "headers",
  "content_type",
  "size",
  "body",
  "ip",
  "verified",
  "type",
  "dedup_key",
  "duplicates",
] as const satisfies readonly (keyof EventRow)[];

/** The most rows of one statement. Each has 17 values, and both databases allow 32,766 values. */
const ROWS_MAX = 256;

/** Builds the statement once for each number of rows. Building one for 64 rows takes longer than running it. */
export function eventInserter(dialect: MetadataStore["dialect"]): (tx: Writer, rows: readonly EventRow[]) => void {
  const texts = new Map<number, string>();
  const textFor = (count: number): string => {
    const known = texts.get(count);
    if (known !== undefined) return known;
    const text = insertText(dialect, count);
    texts.set(count, text);
    return text;
  };
  return (tx, rows) => {
    let rest = rows;
    while (rest.length > 0) {
      const count = Math.min(ROWS_MAX, 2 ** Math.floor(Math.log2(rest.length)));
      const values = rest.slice(0, count).flatMap((row) => COLUMNS.map((name) => row[name]));
      tx.defer(CompiledQuery.raw(textFor(count), values));
      rest = rest.slice(count);
    }
  };
}

function insertText(dialect: MetadataStore["dialect"], count: number): string {
  const row = (i: number): string => {
    const marks = COLUMNS.map((_, j) => (dialect === "sqlite" ? "?" : `$${i * COLUMNS.length + j + 1}`));
    return `(${marks.join(", ")})`;
  };
  const rows = Array.from({ length: count }, (_, i) => row(i)).join(", ");
  return `insert into webhook_event (${COLUMNS.join(", ")}) values ${rows}`;
}
