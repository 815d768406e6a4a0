import type { FILE_ROUTES } from "@mooring/contract";
import { listVersions } from "#domain/files/index.ts";
import type { Operation } from "#http/index.ts";
import type { FilesSurfaceDeps } from "../deps.ts";
import { fileBody } from "../model.ts";
import { fileFor } from "../resources.ts";

export function listFileVersions(deps: FilesSurfaceDeps): Operation<typeof FILE_ROUTES.listFileVersions> {
  return async ({ params, query: { limit = 50, offset = 0 } }, { principal }) => {
    const file = await fileFor(deps, principal, params.file_id, "files:read");
    const { files, total } = await listVersions(deps.metadata.read, file, { limit, offset });
    return { data: { files: files.map(fileBody), total } };
  };
}
