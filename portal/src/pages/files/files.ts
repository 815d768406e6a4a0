import type { FILE_ROUTES, ResultOf } from "@mooring/contract";

export type StoredFile = ResultOf<typeof FILE_ROUTES.listFiles>["data"]["files"][number];
/** A file; in a list of names, with the number of files of that name. */
export type ListedFile = StoredFile & { readonly versions?: number };
export type TrashedFile = ResultOf<typeof FILE_ROUTES.listTrash>["data"]["files"][number];
export type DownloadGrant = ResultOf<typeof FILE_ROUTES.getFileDownload>["data"];

/** Images that browsers decode without running code. The content security policy allows them from this origin. */
const PICTURES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"]);
const TEXTS = new Set([
  "application/json",
  "application/xml",
  "application/yaml",
  "application/x-yaml",
  "application/toml",
  "application/x-ndjson",
  "application/sql",
  "application/x-sh",
  "application/javascript",
  "image/svg+xml",
]);

/** The most bytes of a text that a preview reads. */
export const PREVIEW_BYTES_MAX = 64 * 1024;
/** Pictures up to this size are shown without a click. */
export const PICTURE_BYTES_MAX = 8 * 1024 * 1024;

export type PreviewKind = "picture" | "json" | "text" | "none";

/** Returns `text/csv` of `text/csv; charset=utf-8`. */
export function essenceOf(contentType: string): string {
  return (contentType.split(";")[0] ?? "").trim().toLowerCase();
}

/** Returns the kind of preview for a type. No kind runs code. */
export function previewKindOf(contentType: string): PreviewKind {
  const essence = essenceOf(contentType);
  if (PICTURES.has(essence)) return "picture";
  if (essence === "application/json" || essence.endsWith("+json")) return "json";
  if (essence.startsWith("text/") || TEXTS.has(essence) || essence.endsWith("+xml")) return "text";
  return "none";
}

/** Indents JSON; undefined for text that is not valid JSON, for example a truncated one. */
export function prettyJson(text: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return undefined;
  }
}

/** The groupings of files. */
export type Grouping = "type" | "prefix" | "project";

export interface StorageGroup {
  readonly key: string;
  readonly files: number;
  readonly bytes: number;
}

/** Groups files, most bytes first. */
export function groupFiles(files: readonly StoredFile[], by: Grouping): StorageGroup[] {
  const groups = new Map<string, { files: number; bytes: number }>();
  for (const file of files) {
    const key = keyOf(file, by);
    const group = groups.get(key) ?? { files: 0, bytes: 0 };
    groups.set(key, { files: group.files + 1, bytes: group.bytes + file.size_bytes });
  }
  return [...groups]
    .map(([key, group]) => ({ key, ...group }))
    .toSorted((a, b) => b.bytes - a.bytes || b.files - a.files);
}

function keyOf(file: StoredFile, by: Grouping): string {
  if (by === "type") return essenceOf(file.content_type);
  if (by === "project") return file.project_id ?? "";
  return prefixOf(file.filename);
}

/** Returns the part up to and including the first slash; without a slash, the first word with its separator. */
export function prefixOf(filename: string): string {
  return /^[^/]+\//.exec(filename)?.[0] ?? /^[\p{L}\p{N}]+[ _.-]/u.exec(filename)?.[0] ?? filename;
}
