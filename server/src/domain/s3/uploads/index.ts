import type { S3Deps } from "../deps.ts";
import type { S3Uploads } from "../types/index.ts";
import { abortUpload } from "./abort.ts";
import { completeUpload } from "./complete.ts";
import { copyPart, putPart } from "./parts.ts";
import { createUpload, findUpload, listParts } from "./uploads.ts";

export function createUploads(deps: S3Deps): S3Uploads {
  return {
    create: (caller, bucket, upload) => createUpload(deps, caller, bucket, upload),
    find: (bucket, key, uploadId) => findUpload(deps, bucket, key, uploadId),
    putPart: (_caller, bucket, part) => putPart(deps, bucket, part),
    copyPart: (_caller, bucket, part) => copyPart(deps, bucket, part),
    parts: (_bucket, upload, page) => listParts(deps, upload, page),
    complete: (caller, bucket, completion) => completeUpload(deps, caller, bucket, completion),
    abort: (caller, bucket, key, uploadId) => abortUpload(deps, caller, bucket, { key, uploadId }),
  };
}
