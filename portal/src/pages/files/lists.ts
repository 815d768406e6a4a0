import type { StoredFile } from "./files.ts";

const COLUMNS = ["id", "filename", "content_type", "size_bytes", "created_at", "sha256", "project_id"] as const;

/**
 * Formats the facts of files as CSV (RFC 4180). Names are escaped so that spreadsheets do not treat them as formulas.
 */
export function csvOf(files: readonly StoredFile[]): string {
  const rows = files.map((file) => COLUMNS.map((column) => field(file[column] ?? "")).join(","));
  return [COLUMNS.join(","), ...rows, ""].join("\r\n");
}

function field(value: string | number): string {
  if (typeof value === "number") return String(value);
  const harmless = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** Formats addresses, one per line, for `wget --content-disposition -i` and `xargs -n1 curl -fsSOJ`. */
export function addressListOf(urls: readonly string[]): string {
  return `${urls.join("\n")}\n`;
}
