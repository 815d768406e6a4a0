import type { FILE_ROUTES } from "@mooring/contract";
import { grantDownload } from "#domain/files/index.ts";
import type { Operation } from "#http/index.ts";
import { attachmentOf } from "../content/disposition.ts";
import type { FilesSurfaceDeps } from "../index.ts";
import { fileFor } from "../resources.ts";

export function getFileDownload(deps: FilesSurfaceDeps): Operation<typeof FILE_ROUTES.getFileDownload> {
  return async ({ params }, { principal, reply }) => {
    const file = await fileFor(deps, principal, params.file_id, "files:read");
    void reply.header("cache-control", "no-store");
    return {
      data: {
        download_url: await grantDownload(deps, principal, file, attachmentOf(file.filename)),
        filename: file.filename,
        content_type: file.content_type,
        size_bytes: file.size,
        sha256: file.sha256,
        expires_in: deps.settings.urlLifetimeS,
      },
    };
  };
}
