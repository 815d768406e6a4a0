import type { ResultFormat } from "../types.ts";
import { NO_FIGURES, type ScanFigures } from "./protocol.ts";

export interface Trailer {
  /** The rows in the result, or null when they were not counted because the child ended. */
  readonly rows: number | null;
  readonly truncated: boolean;
  readonly elapsedMs: number;
  readonly figures?: ScanFigures;
  readonly error?: { readonly code: string; readonly detail: string };
}

/** Returns the end of a result in the format JSON. */
export function jsonTail({ rows, truncated, elapsedMs, figures = NO_FIGURES, error }: Trailer): string {
  const told = error === undefined ? "" : `,"error":${JSON.stringify(error)}`;
  const statistics = statisticsText(elapsedMs, figures);
  return `\n],"row_count":${rows},"truncated":${truncated},"statistics":${statistics}${told}}\n`;
}

/** Returns the object with the figures of a JSON answer. */
export function statisticsText(elapsedMs: number, figures: ScanFigures): string {
  return JSON.stringify({
    elapsed_ms: Math.round(elapsedMs * 10) / 10,
    rows_scanned: figures.rows,
    bytes_scanned: figures.bytes,
    files_scanned: figures.files,
    files_total: figures.filesTotal,
    ...(figures.unreadable === 0 ? {} : { rows_unreadable: figures.unreadable }),
  });
}

/** NDJSON has a last line only for an error. */
export function ndjsonTail({ error }: Trailer): string {
  return error === undefined ? "" : `${JSON.stringify({ error })}\n`;
}

/** Returns the text that ends a failed result, or undefined when the format has none. */
export function errorTail(format: ResultFormat, trailer: Trailer): string | undefined {
  if (format === "json") return jsonTail(trailer);
  return format === "ndjson" ? ndjsonTail(trailer) : undefined;
}
