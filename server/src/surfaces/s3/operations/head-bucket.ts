import type { Answer, Context } from "../context.ts";

export async function headBucket({ deps }: Context): Promise<Answer> {
  return { headers: { "x-amz-bucket-region": deps.settings.region, "x-amz-access-point-alias": "false" } };
}
