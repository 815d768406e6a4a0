import Type, { type TSchema } from "typebox";
import { closed, Id, IdOrSlug, nullable } from "./organization/shapes.ts";
import { route } from "./route.ts";
import { Timestamp } from "./shared.ts";

export const FILENAME_BYTES_MAX = 255;
const CONTENT_TYPE_CHARS_MAX = 255;
/** The most origins of one organization. */
export const ALLOWED_ORIGINS_MAX = 20;

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

/** The success bodies of the files API. */
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
  created_by: Type.String({
    description: "id of the person or credential that requested the upload, or made the copy",
  }),
});

/** Days during which a deleted file can be restored. */
const TrashDays = Type.Integer({ minimum: 0, maximum: 90, description: "0: files are deleted for good at once" });

/** Origins of web pages, as browsers send them. The server also checks that each is one exactly (`URL.origin`). */
const AllowedOrigins = Type.Array(Type.String({ minLength: 8, maxLength: 270, pattern: "^https?://[^/?#@*\\s]+$" }), {
  maxItems: ALLOWED_ORIGINS_MAX,
  uniqueItems: true,
  description:
    "origins of web pages that may call `/v1/upload` and `/v1/uploads` with a token of this organization, for example `https://app.example.com`: " +
    "`https` or `http`, host, and the port if it is not the usual one, in lower case; no path and no `*`",
});

export const TrashedFile = Type.Object({
  ...File.properties,
  deleted_at: Timestamp,
  deleted_by: nullable(Type.String({ description: "id of a person or credential; null: the server itself" })),
  purge_at: Type.String({
    format: "date-time",
    description: "ISO 8601 UTC; the file can be restored until then",
  }),
});

export const UploadGrant = Type.Object({
  upload_url: Type.String({ description: "PUT the content here, with the content type of the file; it works once" }),
  file_id: Id,
  expires_in: ExpiresIn,
});

export const DownloadGrant = Type.Object({
  download_url: Type.String({ description: "GET the content here; no token is needed" }),
  filename: Type.String(),
  content_type: Type.String(),
  size_bytes: Bytes,
  sha256: Type.String({ description: "of the content, in hexadecimal" }),
  expires_in: ExpiresIn,
});

const fileParams = Type.Object({ file_id: Id });
const pageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  offset: Type.Optional(Type.Integer({ minimum: 0, default: 0, description: "past the last page, the page is empty" })),
};
const Prefix = Type.String({ minLength: 1, maxLength: FILENAME_BYTES_MAX, description: "characters of the file name" });
const Total = Type.Integer({ minimum: 0, description: "of all pages" });
const FileSettings = Type.Object({
  trash_days: nullable(TrashDays),
  effective_trash_days: TrashDays,
  allowed_origins: AllowedOrigins,
});
/** Bounds of the lifetime of a share link, in seconds. */
export const SHARE_S = { min: 60, max: 604_800 } as const;

export const FILE_ROUTES = {
  createUpload: route({
    operationId: "createUpload",
    secret: true,
    method: "POST",
    path: "/v1/upload",
    tag: "files",
    summary: "Ask for a URL to upload a file to",
    description:
      "The URL needs no token. It ends when its creator loses the permission. A credential of a project creates files of that project.",
    permission: "files:write",
    body: Type.Object(
      {
        filename: Filename,
        content_type: ContentType,
        size_bytes: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: Number.MAX_SAFE_INTEGER,
            description: "exact size of the content; it counts towards the quota at once",
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
    access: "file.list",
    method: "GET",
    path: "/v1/files",
    tag: "files",
    summary: "List the files that the token can reach, newest first",
    permission: "files:read",
    query: Type.Object({
      ...pageQuery,
      prefix: Type.Optional(Prefix),
      project: Type.Optional(IdOrSlug),
    }),
    result: data(
      Type.Object({
        files: Type.Array(File),
        total: Total,
        total_is_lower_bound: Type.Optional(
          Type.Boolean({
            description:
              "true: more than 10,000 names begin with the prefix, and `total` is too low; the pages still have all files",
          }),
        ),
      }),
    ),
    status: 200,
    problems: ["invalid_parameter", "not_found"],
  }),
  listFileNames: route({
    operationId: "listFileNames",
    access: "file.list",
    method: "GET",
    path: "/v1/files/names",
    tag: "files",
    summary: "List each file name once, with its newest file and how many versions there are",
    description:
      "Names are sorted by their bytes. If two projects have a file with the same name, the list has an entry for each.",
    permission: "files:read",
    query: Type.Object({
      limit: pageQuery.limit,
      cursor: Type.Optional(Type.String({ maxLength: 1024 })),
      prefix: Type.Optional(Prefix),
      project: Type.Optional(IdOrSlug),
    }),
    result: data(
      Type.Object({
        files: Type.Array(
          Type.Object({
            ...File.properties,
            versions: Type.Integer({
              minimum: 1,
              description: "number of files with this name in the same project or organization, including this one",
            }),
          }),
        ),
        next_cursor: nullable(Type.String()),
      }),
    ),
    status: 200,
    problems: ["invalid_parameter", "not_found"],
  }),
  listFileVersions: route({
    operationId: "listFileVersions",
    access: "file.list",
    method: "GET",
    path: "/v1/files/{file_id}/versions",
    tag: "files",
    summary: "List the files of the same name in the same place, newest first",
    description: "Files never change. Files that were uploaded under the same name are versions of it.",
    permission: "files:read",
    params: fileParams,
    query: Type.Object(pageQuery),
    result: data(Type.Object({ files: Type.Array(File), total: Total })),
    status: 200,
    problems: ["invalid_parameter", "not_found"],
  }),
  copyFile: route({
    operationId: "copyFile",
    access: "file.copy",
    method: "POST",
    path: "/v1/files/{file_id}/copy",
    tag: "files",
    summary: "Copy a file, in the same place",
    description:
      "The content is not stored again, but the quota counts the copy like any file. Without a name the copy has the name of the original, and so " +
      "becomes its newest version. Also needs files:read.",
    permission: "files:write",
    params: fileParams,
    body: Type.Object({ filename: Type.Optional(Filename) }, closed),
    result: data(File),
    status: 201,
    problems: ["invalid_body", "storage_quota_exceeded", "not_found"],
    idempotent: true,
  }),
  getFileDownload: route({
    operationId: "getFileDownload",
    access: "file.grant",
    secret: true,
    method: "GET",
    path: "/v1/files/{file_id}/download",
    tag: "files",
    summary: "Ask for a URL to download a file from",
    description:
      "The URL needs no token. It ends when the file is deleted, or when its creator loses the permission. It supports GET, HEAD, ranges and conditional requests.",
    permission: "files:read",
    params: fileParams,
    query: Type.Object({
      expires_in: Type.Optional(
        Type.Integer({
          minimum: SHARE_S.min,
          maximum: SHARE_S.max,
          description:
            "seconds for which the URL is valid, for example to share it; 900 if the server has no other setting",
        }),
      ),
    }),
    result: data(DownloadGrant),
    status: 200,
    problems: ["invalid_parameter", "not_found"],
  }),
  deleteFile: route({
    operationId: "deleteFile",
    access: "file.delete",
    method: "DELETE",
    path: "/v1/files/{file_id}",
    tag: "files",
    summary: "Delete a file, or give up an upload that has not ended",
    description:
      "Until the organization's trash time is over, the file can be restored, unless it is deleted for good.",
    permission: "files:delete",
    params: fileParams,
    query: Type.Object({
      permanent: Type.Optional(
        Type.Boolean({ default: false, description: "true: deletes the file for good, and frees its bytes at once" }),
      ),
    }),
    status: 204,
    problems: ["invalid_parameter", "not_found"],
  }),
  listTrash: route({
    operationId: "listTrash",
    method: "GET",
    path: "/v1/files/trash",
    tag: "files",
    summary: "List the deleted files that can be restored, last deleted first",
    permission: "files:read",
    query: Type.Object({ ...pageQuery, project: Type.Optional(IdOrSlug) }),
    result: data(
      Type.Object({
        files: Type.Array(TrashedFile),
        total: Total,
        bytes: Type.Integer({
          minimum: 0,
          description: "bytes of all files in the trash; they count towards the quota",
        }),
        trash_days: TrashDays,
      }),
    ),
    status: 200,
    problems: ["invalid_parameter", "not_found"],
  }),
  restoreFile: route({
    operationId: "restoreFile",
    method: "POST",
    path: "/v1/files/{file_id}/restore",
    tag: "files",
    summary: "Restore a file from the trash as it was, with its id and time",
    description: "If the file is not in the trash, the answer is the file, unchanged.",
    permission: "files:write",
    params: fileParams,
    result: data(File),
    status: 200,
    problems: ["not_found"],
  }),
  purgeFile: route({
    operationId: "purgeFile",
    access: "file.delete",
    method: "DELETE",
    path: "/v1/files/trash/{file_id}",
    tag: "files",
    summary: "Delete a file in the trash for good",
    permission: "files:delete",
    params: fileParams,
    status: 204,
    problems: ["not_found"],
  }),
  emptyTrash: route({
    operationId: "emptyTrash",
    access: "file.delete",
    method: "DELETE",
    path: "/v1/files/trash",
    tag: "files",
    summary: "Delete the files in the trash for good, as far as the token may",
    permission: "files:delete",
    query: Type.Object({ project: Type.Optional(IdOrSlug) }),
    result: data(
      Type.Object({
        files: Type.Integer({ minimum: 0, description: "that are gone" }),
        bytes: Type.Integer({ minimum: 0, description: "that are free" }),
      }),
    ),
    status: 200,
    problems: ["invalid_parameter", "not_found"],
  }),
  getFileSettings: route({
    operationId: "getFileSettings",
    method: "GET",
    path: "/v1/files/settings",
    tag: "files",
    summary: "Show how long deleted files can be restored, and which pages may upload",
    permission: "files:read",
    result: data(FileSettings),
    status: 200,
    problems: [],
  }),
  updateFileSettings: route({
    operationId: "updateFileSettings",
    method: "PATCH",
    path: "/v1/files/settings",
    tag: "files",
    summary: "Change how long deleted files can be restored, and which pages may upload",
    description:
      "Absent members stay as they are. A new time also applies to files in the trash; a longer one does not bring back deleted files. " +
      "`allowed_origins` replaces the whole list.",
    permission: "org:write",
    headers: ["If-Match"],
    body: Type.Object(
      {
        trash_days: Type.Optional(nullable({ ...TrashDays, description: "null: the server's default" })),
        allowed_origins: Type.Optional(AllowedOrigins),
      },
      { ...closed, minProperties: 1 },
    ),
    result: data(FileSettings),
    status: 200,
    problems: ["invalid_body", "forbidden", "concurrent_update"],
  }),
} as const;
