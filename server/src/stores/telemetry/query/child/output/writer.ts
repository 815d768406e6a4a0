import type { DuckDBType, DuckDBVector } from "@duckdb/node-api";
import type { Trailer } from "../../tails.ts";

export interface ResultColumn {
  readonly name: string;
  readonly type: DuckDBType;
}

/** A part of a result: text to encode as UTF-8, or bytes that never change. Empty text adds nothing. */
export type Piece = string | Uint8Array;

export interface ResultWriter {
  head(): Piece;
  /**
   * Takes the row `index` of a chunk. `first` is true for the first row of the result. Text formats return each row.
   * Columnar formats collect rows and return many at once.
   */
  row(columns: readonly DuckDBVector[], index: number, first: boolean): Piece;
  /** Returns the end of the result with all collected rows. Returns undefined when the format can't express an error. */
  tail(trailer: Trailer): Piece | undefined;
}
