import { S3Error, type Acl, type ObjectOwnership } from "#domain/s3/index.ts";
import { decodeUtf8 } from "#kernel/decoding.ts";
import { readSmallBody } from "../body.ts";
import type { Answer, Context } from "../context.ts";
import { aclElements, aclOfDocument, aclOfFields, ownersAcl, usersIn } from "../wire/acl.ts";
import { booleanIn, childOf, parseDocument, requiredText } from "../wire/xml-tree.ts";
import { renderDocument } from "../wire/xml.ts";

const BODY_BYTES_MAX = 64 * 1024;

export async function getBucketAcl(context: Context): Promise<Answer> {
  const { bucket } = context;
  return { body: await aclDocument(context, bucket.config.acl ?? ownersAcl(bucket.owner)) };
}

/** Renders an access list as XML, with the name of every user. */
export async function aclDocument({ deps, bucket }: Context, acl: Acl): Promise<string> {
  const names = await deps.domain.buckets.displayNames(bucket, usersIn(acl));
  return renderDocument("AccessControlPolicy", aclElements(acl, names));
}

export async function putBucketAcl(context: Context): Promise<Answer> {
  const { deps, caller, bucket } = context;
  const acl = await aclOfRequest(context, bucket.owner);
  await deps.domain.buckets.configure(caller, bucket, { kind: "acl", value: acl });
  return {};
}

/** Reads an access list from the fields, or else from the body. The owner can't change. @throws S3Error */
export async function aclOfRequest(context: Context, owner: Acl["owner"]): Promise<Acl> {
  const { bucket, fields } = context;
  const bytes = await readSmallBody(context, BODY_BYTES_MAX);
  const asked = aclOfFields(fields, owner, bucket.owner);
  if (asked !== undefined && bytes.length > 0) throw new S3Error("UnexpectedContent");
  if (asked !== undefined) return asked;
  if (bytes.length === 0)
    throw new S3Error("MissingSecurityHeader", "Your request was missing a required header: x-amz-acl");
  const acl = aclOfDocument(parseDocument(bytes, "AccessControlPolicy"));
  if (acl.owner.id !== owner.id) throw new S3Error("AccessDenied", "The owner of a list can't be changed.");
  return { ...acl, owner };
}

/** S3's limit. */
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
