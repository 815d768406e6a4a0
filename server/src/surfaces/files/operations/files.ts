import {
  copyFile as copy,
  deleteFile as remove,
  grantDownload,
  listFiles as list,
  listNames,
  type FileRow,
} from "#domain/files/index.ts";
import { answering } from "#domain/idempotency/index.ts";
import { requireSeen } from "#domain/identity/index.ts";
import { resourceOf } from "#domain/projects/index.ts";
import { attachmentOf, callerOf } from "#http/index.ts";
import { decodeCursor, encodeCursor } from "#kernel/cursor.ts";
import { Problem } from "#kernel/problem.ts";
import type { FileOperation } from "../deps.ts";
import { noteFile } from "../access.ts";
import { fileBody } from "../model.ts";
import { fileFor, placeFor, requireFileOrGrant } from "../resources.ts";
import { validateFile } from "../validate.ts";

/** How long a list waits until content at the upstream store becomes files. Later files are in the next list. */
const SETTLE_MS = 5000;

export const listFiles: FileOperation<"listFiles"> = async (deps, { query }, { principal }) => {
  const { limit = 50, offset = 0, prefix, project } = query;
  const named = project === undefined ? null : await placeFor(deps, principal, project, "files:read");
  await deps.arrivals?.settleAll(principal.orgId, SETTLE_MS);
  const page = await list(deps, principal, { limit, offset, prefix, projectId: named ?? undefined });
  return {
    data: {
      files: page.files.map(fileBody),
      total: page.total,
      ...(page.isCut ? { total_is_lower_bound: true } : {}),
    },
  };
};

export const listFileNames: FileOperation<"listFileNames"> = async (deps, { query }, { principal }) => {
  const { limit = 50, cursor, prefix, project } = query;
  const named = project === undefined ? null : await placeFor(deps, principal, project, "files:read");
  const [filename = "", place = ""] = cursor === undefined ? [] : decodeCursor(cursor, ["string", "string"]);
  const after = cursor === undefined ? undefined : { filename, place };
  const { files, next } = await listNames(deps, principal, { limit, after, prefix, projectId: named ?? undefined });
  return {
    data: {
      files: files.map((file) => ({ ...fileBody(file), versions: file.versions })),
      next_cursor: next === undefined ? null : encodeCursor([next.filename, next.place]),
    },
  };
};

export const getFileDownload: FileOperation<"getFileDownload"> = async (
  deps,
  { params, query },
  { principal, request, reply },
) => {
  const file = await fileFor(deps, principal, params.file_id, "files:read");
  noteFile(request, file);
  const chosenS = query.expires_in;
  const disposition = attachmentOf(file.filename);
  void reply.header("cache-control", "no-store");
  return {
    data: {
      download_url: await grantDownload(deps, principal, file, { disposition, chosenS }),
      filename: file.filename,
      content_type: file.content_type,
      size_bytes: file.size,
      sha256: file.sha256,
      expires_in: chosenS ?? deps.settings.urlLifetimeS,
    },
  };
};

export const copyFile: FileOperation<"copyFile"> = async (deps, { params, body }, context) => {
  const { principal } = context;
  const errors =
    body.filename === undefined ? [] : validateFile({ filename: body.filename, content_type: "text/plain" });
  if (errors.length > 0) throw new Problem("invalid_body", "The body does not describe a file.", { errors });
  const file = await fileFor(deps, principal, params.file_id, "files:write");
  noteFile(context.request, file);
  requireSeen(principal, "files:read", resourceOf(file));
  return answering(
    (made: FileRow) => ({ data: fileBody(made) }),
    () => copy(deps, callerOf(context), { id: file.id, filename: body.filename }),
  );
};

export const deleteFile: FileOperation<"deleteFile"> = async (deps, { params, query }, context) => {
  const { principal } = context;
  await requireFileOrGrant(deps, principal, params.file_id, "files:delete");
  await remove(deps, callerOf(context), principal.orgId, { id: params.file_id, permanent: query.permanent });
  return undefined;
};
