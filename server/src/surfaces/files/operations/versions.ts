import { listVersions } from "#domain/files/index.ts";
import type { FileOperation } from "../deps.ts";
import { fileBody } from "../model.ts";
import { fileFor } from "../resources.ts";

export const listFileVersions: FileOperation<"listFileVersions"> = async (
  deps,
  { params, query: { limit = 50, offset = 0 } },
  { principal },
) => {
  const file = await fileFor(deps, principal, params.file_id, "files:read");
  const { files, total } = await listVersions(deps.metadata.read, file, { limit, offset });
  return { data: { files: files.map(fileBody), total } };
};
