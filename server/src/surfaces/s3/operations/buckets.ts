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

/** Lists the buckets that the key can reach. */
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

/**
 * Creates an app, and with it its bucket, in the project that `x-mooring-project` names, or else in the key's project.
 */
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
 * Accepts that an owner creates their own bucket again: in us-east-1, S3 answers as for a new bucket.
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
  // Otherwise the caller would believe that the requested access control list was set.
  if (JSON.stringify(acl?.grants) !== JSON.stringify(config.acl?.grants))
    throw new S3Error("BucketAlreadyExists", undefined, { fields: { BucketName: exchange.bucket } });
}

/** Clients may sign for any of these regions; all mean this one. */
const REGIONS = new Set(["", "us-east-1", "auto", "EU", "default"]);

function requireOurLocation(bytes: Buffer, region: string): void {
  const root = parseDocument(bytes, "CreateBucketConfiguration");
  const location = textIn(root, "LocationConstraint")?.trim() ?? "";
  if (location !== region && !REGIONS.has(location))
    throw new S3Error(
      "InvalidLocationConstraint",
      `The location must be '${region}', not '${location.slice(0, 100)}'.`,
    );
}

function ownershipOf(text: string | undefined): ObjectOwnership | undefined {
  return text === undefined ? undefined : ownershipNamed(text);
}

export async function headBucket({ deps }: Context): Promise<Answer> {
  return { headers: { "x-amz-bucket-region": deps.settings.region, "x-amz-access-point-alias": "false" } };
}

/** Empty for S3's first region, as clients expect. */
export async function getBucketLocation({ deps }: Context): Promise<Answer> {
  const { region } = deps.settings;
  return { body: renderDocument("LocationConstraint", region === "us-east-1" ? "" : region) };
}

/** Deletes the bucket's app, if the bucket is empty. */
export async function deleteBucket({ deps, caller, bucket }: Context): Promise<Answer> {
  await deps.domain.buckets.delete(caller, bucket);
  return { status: 204 };
}
