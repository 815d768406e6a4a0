import type { FILE_ROUTES } from "@mooring/contract";
import { grantDownload } from "#domain/files/index.ts";
import { attachmentOf, type Operation } from "#http/index.ts";
import type { FilesSurfaceDeps } from "../index.ts";
import { fileFor } from "../resources.ts";

export function getFileDownload(deps: FilesSurfaceDeps): Operation<typeof FILE_ROUTES.getFileDownload> {
  return async ({ params, query }, { principal, reply }) => {
    const file = await fileFor(deps, principal, params.file_id, "files:read");
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
}
