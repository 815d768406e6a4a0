import { S3Error, type Acl } from "#domain/s3/index.ts";
import { readSmallBody } from "../body.ts";
import type { Answer, Context } from "../context.ts";
import { aclElements, aclOfDocument, aclOfFields, ownersAcl, usersIn } from "../wire/acl.ts";
import { renderDocument } from "../wire/xml.ts";
import { parseDocument } from "../wire/xml-tree.ts";

const BODY_BYTES_MAX = 64 * 1024;

export async function getBucketAcl(context: Context): Promise<Answer> {
  const { bucket } = context;
  return { body: await aclDocument(context, bucket.config.acl ?? ownersAcl(bucket.owner)) };
}

/** A list as XML, every user with a name. */
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

/** From the fields, or else the body. The owner stays who it is. @throws S3Error */
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
