import { S3Error, type ObjectOwnership } from "#domain/s3/index.ts";
import { readSmallBody } from "../body.ts";
import type { Answer, Context } from "../context.ts";
import { renderDocument } from "../wire/xml.ts";
import { childOf, parseDocument, requiredText } from "../wire/xml-tree.ts";

const BODY_BYTES_MAX = 64 * 1024;
const OWNERSHIPS: ReadonlySet<string> = new Set<ObjectOwnership>([
  "BucketOwnerEnforced",
  "BucketOwnerPreferred",
  "ObjectWriter",
]);

/** @throws S3Error `InvalidArgument` */
export function ownershipNamed(text: string): ObjectOwnership {
  if (!OWNERSHIPS.has(text))
    throw new S3Error("InvalidArgument", `Object ownership is one of ${[...OWNERSHIPS].join(", ")}.`);
  return text as ObjectOwnership;
}

export async function getBucketOwnershipControls({ bucket }: Context): Promise<Answer> {
  const { ownership } = bucket.config;
  if (ownership === undefined) throw new S3Error("OwnershipControlsNotFoundError");
  return { body: renderDocument("OwnershipControls", { Rule: { ObjectOwnership: ownership } }) };
}

export async function putBucketOwnershipControls(context: Context): Promise<Answer> {
  const { deps, caller, bucket } = context;
  const root = parseDocument(await readSmallBody(context, BODY_BYTES_MAX), "OwnershipControls");
  const rule = childOf(root, "Rule");
  if (rule === undefined) throw new S3Error("MalformedXML");
  const text = requiredText(rule, "ObjectOwnership").trim();
  if (!OWNERSHIPS.has(text)) throw new S3Error("MalformedXML");
  await deps.domain.buckets.configure(caller, bucket, { kind: "ownership", value: ownershipNamed(text) });
  return {};
}

export async function deleteBucketOwnershipControls({ deps, caller, bucket }: Context): Promise<Answer> {
  await deps.domain.buckets.configure(caller, bucket, { kind: "ownership", value: null });
  return { status: 204 };
}
