import type { DuckDBTypeId, DuckDBVector } from "@duckdb/node-api";
import { RESULT_ROW_BYTES_MAX } from "../../../settings.ts";
import { Failure } from "../../failure.ts";
import type { ResultColumn } from "../writer.ts";
import { makeColumn, type Column } from "./column.ts";
import { columnType, type Field } from "./types.ts";

/** Collects rows as columns until there are enough to send. */
export class Batch {
  readonly fields: readonly Field[];
  readonly columns: readonly Column[];
  rows = 0;
  /** The approximate size of the rows. */
  bytes = 0;

  /**
   * Types in `asText` become text.
   * @throws Failure for a type without a columnar form
   */
  constructor(columns: readonly ResultColumn[], asText: ReadonlySet<DuckDBTypeId>) {
    this.fields = columns.map(({ name, type }) => ({ name, type: columnType(type, asText), nullable: true }));
    this.columns = columns.map(({ type }) => makeColumn(type, asText));
  }

  add(vectors: readonly DuckDBVector[], index: number): void {
    let bytes = 0;
    for (let i = 0; i < this.columns.length; i++) {
      bytes += this.columns[i]?.append(vectors[i]?.getItem(index) ?? null) ?? 0;
    }
    if (bytes > RESULT_ROW_BYTES_MAX) {
      const detail = `a row of the result is longer than ${RESULT_ROW_BYTES_MAX} bytes; select less of it`;
      throw new Failure("query_too_large", detail);
    }
    this.rows++;
    this.bytes += bytes;
  }

  clear(): void {
    for (const column of this.columns) column.clear();
    this.rows = 0;
    this.bytes = 0;
  }
}
