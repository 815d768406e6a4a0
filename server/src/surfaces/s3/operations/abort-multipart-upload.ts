import type { Answer, Context } from "../context.ts";
import { uploadIdOf } from "./upload-part.ts";

export async function abortMultipartUpload(context: Context): Promise<Answer> {
  const { deps, caller, bucket, key } = context;
  await deps.domain.uploads.abort(caller, bucket, key, uploadIdOf(context));
  return { status: 204 };
}
