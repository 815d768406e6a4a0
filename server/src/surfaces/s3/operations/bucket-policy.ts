import { S3Error } from "#domain/s3/index.ts";
import { decodeUtf8 } from "#kernel/decoding.ts";
import { readSmallBody } from "../body.ts";
import type { Answer, Context } from "../context.ts";
import { renderDocument } from "../wire/xml.ts";

/** As in S3. */
const POLICY_BYTES_MAX = 20 * 1024;

export async function getBucketPolicy({ bucket }: Context): Promise<Answer> {
  const { policy } = bucket.config;
  if (policy === undefined) throw new S3Error("NoSuchBucketPolicy");
  return { headers: { "content-type": "application/json" }, body: policy };
}

export async function putBucketPolicy(context: Context): Promise<Answer> {
  const { deps, caller, bucket } = context;
  const bytes = await readSmallBody(context, POLICY_BYTES_MAX);
  if (bytes.length === 0)
    throw new S3Error("MalformedPolicy", "Policies must be valid JSON and the first byte must be '{'");
  const value = decodeUtf8(bytes);
  if (value === undefined) throw new S3Error("MalformedPolicy", "Policies must be valid UTF-8");
  await deps.domain.buckets.configure(caller, bucket, { kind: "policy", value });
  return { status: 204 };
}

export async function deleteBucketPolicy({ deps, caller, bucket }: Context): Promise<Answer> {
  await deps.domain.buckets.configure(caller, bucket, { kind: "policy", value: null });
  return { status: 204 };
}

export async function getBucketPolicyStatus({ deps, bucket }: Context): Promise<Answer> {
  return { body: renderDocument("PolicyStatus", { IsPublic: deps.domain.buckets.isPublic(bucket) }) };
}
