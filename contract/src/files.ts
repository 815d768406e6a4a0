import Type, { type TSchema } from "typebox";
import { closed, Id, IdOrSlug, nullable } from "./organization/shapes.ts";
import { route } from "./route.ts";
import { Timestamp } from "./shared.ts";

export const FILENAME_BYTES_MAX = 255;
const CONTENT_TYPE_CHARS_MAX = 255;

const Filename = Type.String({
  minLength: 1,
  maxLength: FILENAME_BYTES_MAX,
  pattern: "^[^\\u0000-\\u001f\\u007f]*$",
  description: "1 to 255 bytes of UTF-8 without control characters; kept as sent",
});
const ContentType = Type.String({
  minLength: 3,
  maxLength: CONTENT_TYPE_CHARS_MAX,
  description: "media type of RFC 9110 section 8.3.1, parameters included",
});
const Bytes = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Sha256 = Type.String({ pattern: "^[0-9a-f]{64}$", description: "64 hexadecimal digits, lower case" });
const ExpiresIn = Type.Integer({ minimum: 1, description: "validity of the URL in seconds" });

/** Success bodies of the storage service. */
function data<T extends TSchema>(schema: T) {
  return Type.Object({ data: schema });
}

export const File = Type.Object({
  id: Id,
  filename: Type.String(),
  content_type: Type.String(),
  size_bytes: Bytes,
  created_at: Timestamp,
  sha256: Type.String({ description: "of the content, in hexadecimal" }),
  project_id: nullable(Id),
});

export const UploadGrant = Type.Object({
  upload_url: Type.String({ description: "PUT the content here, with the content type of the file; it works once" }),
  file_id: Id,
  expires_in: ExpiresIn,
});

export const DownloadGrant = Type.Object({
  download_url: Type.String({ description: "GET the content here; nothing else is needed" }),
  filename: Type.String(),
  content_type: Type.String(),
  size_bytes: Bytes,
  sha256: Type.String({ description: "of the content, in hexadecimal" }),
  expires_in: ExpiresIn,
});

const fileParams = Type.Object({ file_id: Id });

export const FILE_ROUTES = {
  createUpload: route({
    operationId: "createUpload",
    method: "POST",
    path: "/v1/upload",
    tag: "files",
    summary: "Ask for a URL to upload a file to",
    description:
      "The URL needs no token. It ends with the rights of whoever asked for it. A credential of a project makes files of that project.",
    permission: "files:write",
    body: Type.Object(
      {
        filename: Filename,
        content_type: ContentType,
        size_bytes: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: Number.MAX_SAFE_INTEGER,
            description: "exact size of the content; counted against the quota at once",
          }),
        ),
        sha256: Type.Optional(Sha256),
        project: Type.Optional(IdOrSlug),
      },
      closed,
    ),
    result: data(UploadGrant),
    status: 200,
    problems: ["invalid_body", "body_too_large", "storage_quota_exceeded", "quota_exceeded", "not_found"],
    idempotent: true,
  }),
  listFiles: route({
    operationId: "listFiles",
    method: "GET",
    path: "/v1/files",
    tag: "files",
    summary: "List the files that the token can reach, newest first",
    permission: "files:read",
    query: Type.Object({
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
      offset: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 })),
      prefix: Type.Optional(
        Type.String({ minLength: 1, maxLength: FILENAME_BYTES_MAX, description: "of the file name" }),
      ),
      project: Type.Optional(IdOrSlug),
    }),
    result: data(
      Type.Object({ files: Type.Array(File), total: Type.Integer({ minimum: 0, description: "of all pages" }) }),
    ),
    status: 200,
    problems: ["invalid_parameter", "not_found"],
  }),
  getFileDownload: route({
    operationId: "getFileDownload",
    method: "GET",
    path: "/v1/files/{file_id}/download",
    tag: "files",
    summary: "Ask for a URL to download a file from",
    description:
      "The URL needs no token. It ends with the rights of whoever asked for it, and with the file. It answers GET and HEAD, ranges and conditional requests.",
    permission: "files:read",
    params: fileParams,
    result: data(DownloadGrant),
    status: 200,
    problems: ["not_found"],
  }),
  deleteFile: route({
    operationId: "deleteFile",
    method: "DELETE",
    path: "/v1/files/{file_id}",
    tag: "files",
    summary: "Delete a file, or give up an upload that has not ended",
    permission: "files:delete",
    params: fileParams,
    status: 204,
    problems: ["not_found"],
  }),
} as const;
