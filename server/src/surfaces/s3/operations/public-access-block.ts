import { S3Error } from "#domain/s3/index.ts";
import { readSmallBody } from "../body.ts";
import type { Answer, Context } from "../context.ts";
import { renderDocument } from "../wire/xml.ts";
import { booleanIn, parseDocument } from "../wire/xml-tree.ts";

const BODY_BYTES_MAX = 64 * 1024;

export async function getPublicAccessBlock({ bucket }: Context): Promise<Answer> {
  const block = bucket.config.publicAccessBlock;
  if (block === undefined) throw new S3Error("NoSuchPublicAccessBlockConfiguration");
  const body = renderDocument("PublicAccessBlockConfiguration", {
    BlockPublicAcls: block.blockPublicAcls,
    IgnorePublicAcls: block.ignorePublicAcls,
    BlockPublicPolicy: block.blockPublicPolicy,
    RestrictPublicBuckets: block.restrictPublicBuckets,
  });
  return { body };
}

export async function putPublicAccessBlock(context: Context): Promise<Answer> {
  const { deps, caller, bucket } = context;
  const root = parseDocument(await readSmallBody(context, BODY_BYTES_MAX), "PublicAccessBlockConfiguration");
  const value = {
    blockPublicAcls: booleanIn(root, "BlockPublicAcls") ?? false,
    ignorePublicAcls: booleanIn(root, "IgnorePublicAcls") ?? false,
    blockPublicPolicy: booleanIn(root, "BlockPublicPolicy") ?? false,
    restrictPublicBuckets: booleanIn(root, "RestrictPublicBuckets") ?? false,
  };
  await deps.domain.buckets.configure(caller, bucket, { kind: "publicAccessBlock", value });
  return {};
}

export async function deletePublicAccessBlock({ deps, caller, bucket }: Context): Promise<Answer> {
  await deps.domain.buckets.configure(caller, bucket, { kind: "publicAccessBlock", value: null });
  return { status: 204 };
}
