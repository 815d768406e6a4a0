import { S3Error } from "#domain/s3/index.ts";
import { readSmallBody } from "../body.ts";
import type { Answer, Context } from "../context.ts";
import { BUCKET_TAGS_MAX, tagElements, tagsOfDocument } from "../wire/tags.ts";
import { renderDocument } from "../wire/xml.ts";
import { parseDocument } from "../wire/xml-tree.ts";

const BODY_BYTES_MAX = 64 * 1024;

export async function getBucketTagging({ bucket }: Context): Promise<Answer> {
  const { tagging } = bucket.config;
  if (tagging === undefined) throw new S3Error("NoSuchTagSet");
  return { body: renderDocument("Tagging", tagElements(tagging)) };
}

export async function putBucketTagging(context: Context): Promise<Answer> {
  const { deps, caller, bucket } = context;
  const root = parseDocument(await readSmallBody(context, BODY_BYTES_MAX), "Tagging");
  await deps.domain.buckets.configure(caller, bucket, {
    kind: "tagging",
    value: tagsOfDocument(root, BUCKET_TAGS_MAX),
  });
  return { status: 204 };
}

export async function deleteBucketTagging({ deps, caller, bucket }: Context): Promise<Answer> {
  await deps.domain.buckets.configure(caller, bucket, { kind: "tagging", value: null });
  return { status: 204 };
}
