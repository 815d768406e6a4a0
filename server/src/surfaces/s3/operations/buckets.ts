import { S3Error, type Acl, type ObjectOwnership } from "#domain/s3/index.ts";
import { decodeBase64Url, decodeUtf8 } from "#kernel/decoding.ts";
import { readSmallBody } from "../body.ts";
import type { Answer, Context } from "../context.ts";
import { aclOfFields } from "../wire/acl.ts";
import { ownerElements, pageMax, xmlTime } from "../wire/text.ts";
import { parseDocument, textIn } from "../wire/xml-tree.ts";
import { renderDocument } from "../wire/xml.ts";
import { ownershipNamed } from "./bucket-access.ts";

const BUCKETS_MAX = 10_000;

/** The buckets that the key reaches. */
export async function listBuckets({ deps, principal, parameter }: Context): Promise<Answer> {
  const prefix = parameter("prefix");
  const max = pageMax("max-buckets", parameter("max-buckets"), BUCKETS_MAX);
  const after = fromToken(parameter("continuation-token"));
  const page = await deps.domain.buckets.list(principal, { prefix: prefix ?? "", after, max });
  const body = renderDocument("ListAllMyBucketsResult", {
    ...(principal.kind === "key" ? { Owner: ownerElements(principal.owner) } : {}),
    Buckets: {
      Bucket: page.buckets.map(({ name, createdAtMs }) => ({
        Name: name,
        CreationDate: xmlTime(createdAtMs),
        BucketRegion: deps.settings.region,
      })),
    },
    ContinuationToken: page.next === null ? undefined : Buffer.from(page.next).toString("base64url"),
    Prefix: prefix,
  });
  return { body };
}

function fromToken(token: string | undefined): string {
  if (token === undefined) return "";
  const bytes = decodeBase64Url(token);
  const name = bytes === undefined ? undefined : decodeUtf8(bytes);
  if (name === undefined) throw new S3Error("InvalidArgument", "The continuation token provided is incorrect");
  return name;
}

const BODY_BYTES_MAX = 64 * 1024;

/** Makes an app whose bucket it is, in the project that `x-mooring-project` names, or in the key's. */
export async function createBucket(context: Context): Promise<Answer> {
  const { deps, exchange, principal, fields, caller } = context;
  if (principal.kind === "anonymous") throw new S3Error("AccessDenied");
  const bytes = await readSmallBody(context, BODY_BYTES_MAX);
  if (bytes.length > 0) requireOurLocation(bytes, deps.settings.region);
  const name = exchange.bucket;
  const project = fields.get("x-mooring-project");
  const acl = aclOfFields(fields, principal.owner, principal.owner);
  const ownership = ownershipOf(fields.get("x-amz-object-ownership"));
  const objectLock = fields.get("x-amz-bucket-object-lock-enabled")?.toLowerCase() === "true";
  try {
    await deps.domain.buckets.create(caller, {
      name,
      objectLock,
      ...(project === undefined ? {} : { project }),
      ...(acl === undefined ? {} : { acl }),
      ...(ownership === undefined ? {} : { ownership }),
    });
  } catch (error) {
    await requireSameAgain(context, acl, error);
  }
  return { headers: { location: `/${name}` } };
}

/**
 * In S3's first region, an owner who creates their own bucket again gets the answer of a new one.
 * @throws the given error otherwise
 */
async function requireSameAgain(
  { deps, exchange, principal }: Context,
  acl: Acl | undefined,
  error: unknown,
): Promise<void> {
  if (!(error instanceof S3Error) || error.code !== "BucketAlreadyOwnedByYou") throw error;
  if (deps.settings.region !== "us-east-1") throw error;
  const { config } = await deps.domain.buckets.find(principal, exchange.bucket);
  // A caller who asks for another list than it has would otherwise believe that it was set.
  if (JSON.stringify(acl?.grants) !== JSON.stringify(config.acl?.grants))
    throw new S3Error("BucketAlreadyExists", undefined, { fields: { BucketName: exchange.bucket } });
}

/** Every region that a client may sign for is this one. */
const REGIONS = new Set(["", "us-east-1", "auto", "EU", "default"]);

function requireOurLocation(bytes: Buffer, region: string): void {
  const root = parseDocument(bytes, "CreateBucketConfiguration");
  const location = textIn(root, "LocationConstraint")?.trim() ?? "";
  if (location !== region && !REGIONS.has(location))
    throw new S3Error(
      "InvalidLocationConstraint",
      `The location is '${region}' here, and not '${location.slice(0, 100)}'.`,
    );
}

function ownershipOf(text: string | undefined): ObjectOwnership | undefined {
  return text === undefined ? undefined : ownershipNamed(text);
}

export async function headBucket({ deps }: Context): Promise<Answer> {
  return { headers: { "x-amz-bucket-region": deps.settings.region, "x-amz-access-point-alias": "false" } };
}

/** Empty for the region that S3 had first, as clients expect. */
export async function getBucketLocation({ deps }: Context): Promise<Answer> {
  const { region } = deps.settings;
  return { body: renderDocument("LocationConstraint", region === "us-east-1" ? "" : region) };
}

/** Removes the bucket's app; only while the bucket is empty. */
export async function deleteBucket({ deps, caller, bucket }: Context): Promise<Answer> {
  await deps.domain.buckets.delete(caller, bucket);
  return { status: 204 };
}
