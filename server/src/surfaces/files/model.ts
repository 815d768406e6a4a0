import type { FILE_ROUTES, ResultOf } from "@mooring/contract";
import type { FilePolicy, FileRow, FileSettings, TrashedRow } from "#domain/files/index.ts";
import { isoFromMs } from "#kernel/time.ts";

export type FileBody = ResultOf<typeof FILE_ROUTES.listFiles>["data"]["files"][number];

/** Converts a record to the contract's form. */
export function fileBody(file: FileRow): FileBody {
  return {
    id: file.id,
    filename: file.filename,
    content_type: file.content_type,
    size_bytes: file.size,
    created_at: isoFromMs(file.created_at),
    sha256: file.sha256,
    project_id: file.project_id,
    created_by: file.created_by,
  };
}

export function trashedBody(file: TrashedRow): ResultOf<typeof FILE_ROUTES.listTrash>["data"]["files"][number] {
  return {
    ...fileBody(file),
    deleted_at: isoFromMs(file.deleted_at),
    deleted_by: file.deleted_by,
    purge_at: isoFromMs(file.purge_at),
  };
}

export function settingsBody(
  { trashDays: own, allowedOrigins }: FilePolicy,
  { trashDays }: Pick<FileSettings, "trashDays">,
): ResultOf<typeof FILE_ROUTES.getFileSettings>["data"] {
  return { trash_days: own, effective_trash_days: own ?? trashDays, allowed_origins: [...allowedOrigins] };
}

/** A strong tag, because equal content has equal bytes (RFC 9110 section 8.8.3). */
export function etagOf(file: Pick<FileRow, "sha256">): string {
  return `"${file.sha256}"`;
}
