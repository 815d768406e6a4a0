import type { FILE_ROUTES, ResultOf } from "@mooring/contract";
import type { FileRow } from "#domain/files/index.ts";
import { isoFromMs } from "#kernel/time.ts";

export type FileBody = ResultOf<typeof FILE_ROUTES.listFiles>["data"]["files"][number];

/** A record as the contract shows it. */
export function fileBody(file: FileRow): FileBody {
  return {
    id: file.id,
    filename: file.filename,
    content_type: file.content_type,
    size_bytes: file.size,
    created_at: isoFromMs(file.created_at),
    sha256: file.sha256,
    project_id: file.project_id,
  };
}

/** Strong: the same content is the same text (RFC 9110 section 8.8.3). */
export function etagOf(file: Pick<FileRow, "sha256">): string {
  return `"${file.sha256}"`;
}
