import type { Answer, Context } from "../context.ts";

/** Removes the bucket's app; only while the bucket is empty. */
export async function deleteBucket({ deps, caller, bucket }: Context): Promise<Answer> {
  await deps.domain.buckets.delete(caller, bucket);
  return { status: 204 };
}
