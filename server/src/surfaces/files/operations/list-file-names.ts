import type { FILE_ROUTES } from "@mooring/contract";
import { listNames } from "#domain/files/index.ts";
import type { Operation } from "#http/index.ts";
import { decodeCursor, encodeCursor } from "#kernel/cursor.ts";
import type { FilesSurfaceDeps } from "../index.ts";
import { fileBody } from "../model.ts";
import { placeFor } from "../resources.ts";

export function listFileNames(deps: FilesSurfaceDeps): Operation<typeof FILE_ROUTES.listFileNames> {
  return async ({ query }, { principal }) => {
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
}
