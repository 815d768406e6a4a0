import { answering } from "#domain/idempotency/index.ts";
import type { FILE_ROUTES } from "@mooring/contract";
import { copyFile as copy, resourceOf, type FileRow } from "#domain/files/index.ts";
import { requireSeen, type Operation } from "#http/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { FilesSurfaceDeps } from "../index.ts";
import { fileBody } from "../model.ts";
import { callerOf, fileFor } from "../resources.ts";
import { unsound } from "../sound.ts";

export function copyFile(deps: FilesSurfaceDeps): Operation<typeof FILE_ROUTES.copyFile> {
  return async ({ params, body }, context) => {
    const { principal } = context;
    const errors = body.filename === undefined ? [] : unsound({ filename: body.filename, content_type: "text/plain" });
    if (errors.length > 0) throw new Problem("invalid_body", "The body does not describe a file.", { errors });
    const file = await fileFor(deps, principal, params.file_id, "files:write");
    requireSeen(principal, "files:read", resourceOf(file));
    return answering(
      (made: FileRow) => ({ data: fileBody(made) }),
      () => copy(deps, callerOf(context), { id: file.id, filename: body.filename }),
    );
  };
}
