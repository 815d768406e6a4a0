import { answering } from "#domain/idempotency/index.ts";
import type { BodyOf, FILE_ROUTES, ResultOf } from "@mooring/contract";
import { grantUpload, regrantUpload, type NewUpload } from "#domain/files/index.ts";
import type { OperationContext } from "#http/index.ts";
import type { Principal } from "#domain/identity/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { FileOperation, FilesSurfaceDeps } from "../deps.ts";
import { placeFor } from "../resources.ts";
import { validateFile } from "../validate.ts";

type Row = typeof FILE_ROUTES.createUpload;

export const createUpload: FileOperation<"createUpload"> = async (deps, { body }, { principal }) => {
  const errors = validateFile(body); // These rules can't be expressed in a schema.
  if (errors.length > 0) throw new Problem("invalid_body", "The body does not describe a file.", { errors });
  const upload = await uploadOf(deps, principal, body);
  return answering(
    ({ fileId, url }: { fileId: string; url: string }) => ({
      data: { upload_url: url, file_id: fileId, expires_in: deps.settings.urlLifetimeS },
    }),
    () => grantUpload(deps, principal, upload),
  );
};

/** Returns a new URL for a repeated request, since the first one may have expired. */
export function renewUpload(deps: FilesSurfaceDeps) {
  return async (
    { data: { file_id: fileId } }: ResultOf<Row>,
    { body }: { readonly body: BodyOf<Row> },
    { principal }: OperationContext,
  ): Promise<ResultOf<Row>> => {
    const url = await regrantUpload(deps, principal, await uploadOf(deps, principal, body), fileId);
    return { data: { upload_url: url, file_id: fileId, expires_in: deps.settings.urlLifetimeS } };
  };
}

async function uploadOf(deps: FilesSurfaceDeps, principal: Principal, body: BodyOf<Row>): Promise<NewUpload> {
  return {
    filename: body.filename,
    contentType: body.content_type,
    size: body.size_bytes ?? null,
    sha256: body.sha256 ?? null,
    projectId: await placeFor(deps, principal, body.project, "files:write"),
  };
}
