import { FILENAME_BYTES_MAX, type FILE_ROUTES } from "@mooring/contract";
import { canonicalMediaType, grantUpload } from "#domain/files/index.ts";
import type { Operation } from "#http/index.ts";
import { Problem, type ProblemPlace } from "#kernel/problem.ts";
import type { FilesSurfaceDeps } from "../index.ts";
import { placeFor } from "../resources.ts";

export function createUpload(deps: FilesSurfaceDeps): Operation<typeof FILE_ROUTES.createUpload> {
  return async ({ body }, { principal }) => {
    refuseUnlessSound(body);
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

/** What a schema can't say. @throws Problem `invalid_body` with pointers */
function refuseUnlessSound({ filename, content_type }: { filename: string; content_type: string }): void {
  const errors: ProblemPlace[] = [];
  if (!filename.isWellFormed()) errors.push({ pointer: "/filename", detail: "has half of a surrogate pair" });
  else if (Buffer.byteLength(filename) > FILENAME_BYTES_MAX)
    errors.push({ pointer: "/filename", detail: `must have ${FILENAME_BYTES_MAX} bytes of UTF-8 at most` });
  if (canonicalMediaType(content_type) === undefined)
    errors.push({ pointer: "/content_type", detail: "must be a media type, for example text/plain; charset=utf-8" });
  if (errors.length > 0) throw new Problem("invalid_body", "The body does not describe a file.", { errors });
}
