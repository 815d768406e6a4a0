import { S3Error, type DefaultRetention } from "#domain/s3/index.ts";
import { readSmallBody } from "../body.ts";
import type { Answer, Context } from "../context.ts";
import { BUCKET_TAGS_MAX, tagElements, tagsOfDocument } from "../wire/tags.ts";
import { booleanIn, childOf, numberIn, parseDocument, requiredText, textIn, type Element } from "../wire/xml-tree.ts";
import { renderDocument } from "../wire/xml.ts";

const BODY_BYTES_MAX = 64 * 1024;
const STATUS = { enabled: "Enabled", suspended: "Suspended", unversioned: undefined } as const;

export async function getBucketVersioning({ bucket }: Context): Promise<Answer> {
  return { body: renderDocument("VersioningConfiguration", { Status: STATUS[bucket.versioning] }) };
}

export async function putBucketVersioning(context: Context): Promise<Answer> {
  const { deps, caller, bucket } = context;
  const root = parseDocument(await readSmallBody(context, BODY_BYTES_MAX), "VersioningConfiguration");
  const status = textIn(root, "Status");
  if (textIn(root, "MfaDelete") === "Enabled") throw new S3Error("NotImplemented", "MfaDelete is not implemented.");
  if (status !== "Enabled" && status !== "Suspended") throw new S3Error("IllegalVersioningConfigurationException");
  await deps.domain.buckets.setVersioning(caller, bucket, status === "Enabled" ? "enabled" : "suspended");
  return {};
}

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

export async function getObjectLockConfiguration({ bucket }: Context): Promise<Answer> {
  const lock = bucket.config.objectLock;
  if (lock === undefined) throw new S3Error("ObjectLockConfigurationNotFoundError");
  const retention = lock.defaultRetention;
  const body = renderDocument("ObjectLockConfiguration", {
    ObjectLockEnabled: "Enabled",
    Rule: retention === undefined ? undefined : { DefaultRetention: elementsOf(retention) },
  });
  return { body };
}

function elementsOf(retention: DefaultRetention): Record<string, string | number> {
  return { Mode: retention.mode, ...("days" in retention ? { Days: retention.days } : { Years: retention.years }) };
}

export async function putObjectLockConfiguration(context: Context): Promise<Answer> {
  const { deps, caller, bucket } = context;
  const root = parseDocument(await readSmallBody(context, BODY_BYTES_MAX), "ObjectLockConfiguration");
  if (textIn(root, "ObjectLockEnabled") !== "Enabled")
    throw new S3Error("MalformedXML", "ObjectLockEnabled must be Enabled.");
  const rule = childOf(root, "Rule");
  const retention = rule === undefined ? undefined : childOf(rule, "DefaultRetention");
  if (rule !== undefined && retention === undefined) throw new S3Error("MalformedXML");
  const value = retention === undefined ? {} : { defaultRetention: retentionOf(retention) };
  await deps.domain.buckets.configure(caller, bucket, { kind: "objectLock", value });
  return {};
}

function retentionOf(element: Element): DefaultRetention {
  const mode = requiredText(element, "Mode");
  const [days, years] = [numberWith(element, "Days"), numberWith(element, "Years")];
  if (mode !== "GOVERNANCE" && mode !== "COMPLIANCE") throw new S3Error("MalformedXML");
  if ((days === undefined) === (years === undefined))
    throw new S3Error("MalformedXML", "The period must be given in Days or Years.");
  const length = days ?? years ?? 0;
  const max = days === undefined ? 100 : 36_500;
  if (length < 1 || length > max) throw new S3Error("InvalidRetentionPeriod", `The period must be from 1 to ${max}.`);
  return days === undefined ? { mode, years: length } : { mode, days: length };
}

/** Returns a number of the document. A negative one is an invalid period, not invalid XML. */
function numberWith(element: Element, name: string): number | undefined {
  if (/^-[0-9]+$/.test(textIn(element, name)?.trim() ?? "")) throw new S3Error("InvalidRetentionPeriod");
  return numberIn(element, name);
}

// Clients send these requests as a routine. The answer is always the same.
export async function getBucketAccelerate(_context: Context): Promise<Answer> {
  return { body: renderDocument("AccelerateConfiguration", "") };
}

export async function getBucketRequestPayment(_context: Context): Promise<Answer> {
  return { body: renderDocument("RequestPaymentConfiguration", { Payer: "BucketOwner" }) };
}

export async function getBucketLogging(_context: Context): Promise<Answer> {
  return { body: renderDocument("BucketLoggingStatus", "") };
}

export async function getBucketWebsite(_context: Context): Promise<Answer> {
  throw new S3Error("NoSuchWebsiteConfiguration");
}

export async function getBucketReplication(_context: Context): Promise<Answer> {
  throw new S3Error("ReplicationConfigurationNotFoundError");
}
