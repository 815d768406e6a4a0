import type { FILE_ROUTES } from "@mooring/contract";
import { grantUpload } from "#domain/files/index.ts";
import type { Operation } from "#http/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { FilesSurfaceDeps } from "../index.ts";
import { placeFor } from "../resources.ts";
import { unsound } from "../sound.ts";

export function createUpload(deps: FilesSurfaceDeps): Operation<typeof FILE_ROUTES.createUpload> {
  return async ({ body }, { principal }) => {
    const errors = unsound(body); // what a schema can't say
    if (errors.length > 0) throw new Problem("invalid_body", "The body does not describe a file.", { errors });
    const { fileId, url } = await grantUpload(deps, principal, {
      filename: body.filename,
      contentType: body.content_type,
      size: body.size_bytes ?? null,
      sha256: body.sha256 ?? null,
      projectId: await placeFor(deps, principal, body.project, "files:write"),
    });
    return { data: { upload_url: url, file_id: fileId, expires_in: deps.settings.urlLifetimeS } };
  };
}
