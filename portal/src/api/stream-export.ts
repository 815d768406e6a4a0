import type { Client } from "@mooring/client";
import { QUERY_ROUTES } from "@mooring/contract";
import type { QueryRequest } from "./stream.ts";

/** The most bytes of a result that a page collects into a file. For larger results there is the command line. */
export const EXPORT_BYTES_MAX = 256 * 1024 * 1024;

export const EXPORT_FORMATS = {
  csv: { title: "CSV", type: "text/csv" },
  ndjson: { title: "NDJSON", type: "application/x-ndjson" },
  parquet: { title: "Parquet", type: "application/vnd.apache.parquet" },
} as const;

export type ExportFormat = keyof typeof EXPORT_FORMATS;

/** The result is larger than `EXPORT_BYTES_MAX`. */
export class ExportTooLargeError extends Error {
  constructor() {
    super(
      "The result is larger than 256 MiB, the most that a page can export. Run the command below, which writes a file directly.",
    );
    this.name = "ExportTooLargeError";
  }
}

/**
 * Returns a complete result as the content of a file. The server refuses a result beyond the row limit and does not
 * truncate it, so no file is incomplete without notice.
 * @throws ApiError, UnreachableError, ExportTooLargeError, TypeError when the connection breaks off
 */
export async function exportQuery(
  client: Client,
  body: QueryRequest,
  { format, signal, onProgress }: { format: ExportFormat; signal: AbortSignal; onProgress: (bytes: number) => void },
): Promise<Blob> {
  const { type } = EXPORT_FORMATS[format];
  const response = await client.send({
    purpose: "export the result",
    method: "POST",
    url: client.addresses.query_url + QUERY_ROUTES.query.path,
    headers: { accept: type },
    body: JSON.stringify(body),
    signal,
  });
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  const reader = response.body?.getReader();
  try {
    for (;;) {
      const part = await reader?.read();
      if (part === undefined || part.done) break;
      bytes += part.value.byteLength;
      if (bytes > EXPORT_BYTES_MAX) throw new ExportTooLargeError();
      chunks.push(part.value);
      onProgress(bytes);
    }
  } finally {
    void reader?.cancel().catch(() => {});
  }
  if (format === "ndjson") refuseBroken(chunks.at(-1));
  return new Blob(chunks, { type });
}

/** Throws if the last line of NDJSON is an error: then the result is incomplete. */
function refuseBroken(last: Uint8Array | undefined): void {
  const line = new TextDecoder().decode(last?.subarray(-4096)).trimEnd().split("\n").at(-1) ?? "";
  if (!line.startsWith('{"error":{"code":')) return;
  const { error } = JSON.parse(line) as { error: { code: string; detail: string } };
  throw new Error(`The result is incomplete: ${error.detail} (${error.code})`);
}

/** Starts a download in the browser. */
export function saveAs(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
