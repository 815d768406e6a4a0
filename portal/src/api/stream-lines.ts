/** One column of a result, with its type as DuckDB names it. */
export interface ResultColumn {
  readonly name: string;
  readonly type: string;
}

export type ResultRow = Readonly<Record<string, unknown>>;

export interface QueryStatistics {
  readonly elapsed_ms: number;
  readonly rows_scanned: number;
  readonly bytes_scanned: number;
  readonly files_scanned: number;
  readonly files_total: number;
}

/** The figures after the rows. */
export interface ResultEnd {
  readonly row_count: number | null;
  readonly truncated: boolean;
  readonly statistics: QueryStatistics;
  readonly error?: { readonly code: string; readonly detail: string };
}

/**
 * A line that is not JSON ends within a value that has line breaks. It is joined with the next lines, up to this
 * number.
 */
const JOINED_LINES_MAX = 10_000;

/**
 * Reads a JSON answer of `POST /v1/query` while it arrives, without buffering it. The server writes the columns on the
 * first line, each row on one line, and the figures on the last line.
 */
export class ResultReader {
  #text = "";
  #joined: string[] = [];
  columns: readonly ResultColumn[] | null = null;
  end: ResultEnd | null = null;

  /** Returns the rows that this piece of the answer completes. @throws SyntaxError if the answer has another form */
  push(piece: string): ResultRow[] {
    const text = this.#text + piece;
    const last = text.lastIndexOf("\n");
    this.#text = text.slice(last + 1);
    const rows: ResultRow[] = [];
    if (last >= 0) for (const line of text.slice(0, last).split("\n")) this.#line(line, rows);
    return rows;
  }

  #line(line: string, rows: ResultRow[]): void {
    if (this.columns === null) {
      this.columns = (JSON.parse(`${line}]}`) as { columns: ResultColumn[] }).columns;
      return;
    }
    if (this.#joined.length === 0 && line.startsWith("]")) {
      this.end = JSON.parse(`{${line.slice(2)}`) as ResultEnd;
      return;
    }
    this.#joined.push(line);
    const text = this.#joined.join("\n");
    try {
      rows.push(JSON.parse(text.endsWith(",") ? text.slice(0, -1) : text) as ResultRow);
      this.#joined = [];
    } catch (error) {
      if (this.#joined.length > JOINED_LINES_MAX) throw error;
    }
  }
}
