import { S3Error } from "#domain/s3/index.ts";
import { readSmallBody } from "../body.ts";
import type { Answer, Context } from "../context.ts";
import { renderDocument } from "../wire/xml.ts";
import { booleanIn, childOf, parseDocument, requiredText } from "../wire/xml-tree.ts";

const BODY_BYTES_MAX = 64 * 1024;

export async function getBucketEncryption({ bucket }: Context): Promise<Answer> {
  const { encryption } = bucket.config;
  if (encryption === undefined) throw new S3Error("ServerSideEncryptionConfigurationNotFoundError");
  const body = renderDocument("ServerSideEncryptionConfiguration", {
    Rule: {
      ApplyServerSideEncryptionByDefault: { SSEAlgorithm: encryption.algorithm },
      BucketKeyEnabled: encryption.bucketKey ?? false,
    },
  });
  return { body };
}

export async function putBucketEncryption(context: Context): Promise<Answer> {
  const { deps, caller, bucket } = context;
  const root = parseDocument(await readSmallBody(context, BODY_BYTES_MAX), "ServerSideEncryptionConfiguration");
  const rule = childOf(root, "Rule");
  const byDefault = rule === undefined ? undefined : childOf(rule, "ApplyServerSideEncryptionByDefault");
  if (rule === undefined || byDefault === undefined) throw new S3Error("MalformedXML");
  const algorithm = requiredText(byDefault, "SSEAlgorithm").trim();
  if (algorithm !== "AES256")
    throw new S3Error("NotImplemented", `SSEAlgorithm ${algorithm.slice(0, 50)} is not implemented; AES256 is.`);
  const value = { algorithm, bucketKey: booleanIn(rule, "BucketKeyEnabled") ?? false };
  await deps.domain.buckets.configure(caller, bucket, { kind: "encryption", value });
  return {};
}

export async function deleteBucketEncryption({ deps, caller, bucket }: Context): Promise<Answer> {
  await deps.domain.buckets.configure(caller, bucket, { kind: "encryption", value: null });
  return { status: 204 };
}
