import { S3Error, type LifecycleFilter, type LifecycleRule } from "#domain/s3/index.ts";
import { isoFromMs } from "#kernel/time.ts";
import { msOfDate } from "../wire/dates.ts";
import { randomUUID } from "node:crypto";
import { readSmallBody } from "../body.ts";
import type { Answer, Context } from "../context.ts";
import { OBJECT_TAGS_MAX, tagsOfSet } from "../wire/tags.ts";
import { renderDocument, type Value } from "../wire/xml.ts";
import { booleanIn, childOf, childrenOf, numberIn, requiredText, textIn, type Element } from "../wire/xml-tree.ts";

const BODY_BYTES_MAX = 1024 * 1024;
const RULES_MAX = 1000;
const ID_CHARS_MAX = 255;
const DAY_MS = 86_400_000;

export async function getBucketLifecycle({ bucket }: Context): Promise<Answer> {
  const { lifecycle } = bucket.config;
  if (lifecycle === undefined) throw new S3Error("NoSuchLifecycleConfiguration");
  return { body: renderDocument("LifecycleConfiguration", { Rule: lifecycle.map(ruleElements) }) };
}

export async function putBucketLifecycle(context: Context): Promise<Answer> {
  const { deps, caller, bucket } = context;
  const root = await deps.documents.read("lifecycle", await readSmallBody(context, BODY_BYTES_MAX));
  const value = childrenOf(root, "Rule").map(ruleOf);
  if (value.length === 0 || value.length > RULES_MAX)
    throw new S3Error("MalformedXML", `There must be from 1 to ${RULES_MAX} rules.`);
  if (new Set(value.map(({ id }) => id)).size !== value.length)
    throw new S3Error("InvalidArgument", "Rule ID must be unique. Found same ID for more than one rule");
  await deps.domain.buckets.configure(caller, bucket, { kind: "lifecycle", value });
  return {};
}

export async function deleteBucketLifecycle({ deps, caller, bucket }: Context): Promise<Answer> {
  await deps.domain.buckets.configure(caller, bucket, { kind: "lifecycle", value: null });
  return { status: 204 };
}

function ruleOf(element: Element): LifecycleRule {
  for (const name of ["Transition", "NoncurrentVersionTransition"])
    if (childrenOf(element, name).length > 0)
      throw new S3Error("NotImplemented", `${name} is not implemented: there is one storage class.`);
  const id = textIn(element, "ID") || randomUUID();
  if (id.length > ID_CHARS_MAX)
    throw new S3Error("InvalidArgument", `ID length should not exceed allowed limit of ${ID_CHARS_MAX}`);
  const status = requiredText(element, "Status");
  if (status !== "Enabled" && status !== "Disabled")
    throw new S3Error("MalformedXML", "Status must be Enabled or Disabled.");
  const filter = childOf(element, "Filter");
  const prefix = textIn(element, "Prefix");
  if (filter !== undefined && prefix !== undefined)
    throw new S3Error("MalformedXML", "Send Filter or Prefix, not both.");
  const actions = actionsOf(element);
  if (Object.keys(actions).length === 0)
    throw new S3Error("InvalidRequest", "At least one action needs to be specified in a rule.");
  return {
    id,
    enabled: status === "Enabled",
    filter: filter === undefined ? (prefix === undefined ? {} : { prefix }) : filterOf(filter),
    ...(filter === undefined ? { hasPlainPrefix: true } : {}),
    ...actions,
  };
}

function filterOf(element: Element): LifecycleFilter {
  // S3 requires `And` around several conditions, but some clients leave it out.
  const and = childOf(element, "And");
  const source = and ?? element;
  const prefix = textIn(source, "Prefix");
  const tags = tagsOfSet(source, OBJECT_TAGS_MAX);
  const [sizeAbove, sizeBelow] = [numberIn(source, "ObjectSizeGreaterThan"), numberIn(source, "ObjectSizeLessThan")];
  return {
    ...(prefix === undefined ? {} : { prefix }),
    ...(Object.keys(tags).length === 0 ? {} : { tags }),
    ...(sizeAbove === undefined ? {} : { sizeAbove }),
    ...(sizeBelow === undefined ? {} : { sizeBelow }),
    ...(and === undefined ? {} : { isAnd: true }),
  };
}

function actionsOf(
  element: Element,
): Pick<LifecycleRule, "expiration" | "noncurrentExpiration" | "abortUploadsAfterDays"> {
  const expiration = childOf(element, "Expiration");
  const noncurrent = childOf(element, "NoncurrentVersionExpiration");
  const abort = childOf(element, "AbortIncompleteMultipartUpload");
  return {
    ...(expiration === undefined ? {} : { expiration: expirationOf(expiration) }),
    ...(noncurrent === undefined ? {} : { noncurrentExpiration: noncurrentOf(noncurrent) }),
    ...(abort === undefined ? {} : { abortUploadsAfterDays: positive(abort, "DaysAfterInitiation") }),
  };
}

function expirationOf(element: Element): NonNullable<LifecycleRule["expiration"]> {
  const names = ["Days", "Date", "ExpiredObjectDeleteMarker"].filter((name) => childOf(element, name) !== undefined);
  if (names.length !== 1)
    throw new S3Error(
      "MalformedXML",
      "An Expiration must have exactly one of Days, Date and ExpiredObjectDeleteMarker.",
    );
  if (names[0] === "Days") return { days: positive(element, "Days") };
  if (names[0] === "ExpiredObjectDeleteMarker")
    return { expiredObjectDeleteMarker: booleanIn(element, "ExpiredObjectDeleteMarker") ?? false };
  const dateMs = dateIn(requiredText(element, "Date"));
  if (dateMs === undefined) throw new S3Error("MalformedXML", "Date must be in ISO 8601.");
  if (dateMs % DAY_MS !== 0) throw new S3Error("InvalidArgument", "'Date' must be at midnight GMT");
  return { dateMs };
}

function dateIn(text: string): number | undefined {
  const ms = /^[0-9]{4}-?[0-9]{2}-?[0-9]{2}/.test(text) ? msOfDate(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

function noncurrentOf(element: Element): NonNullable<LifecycleRule["noncurrentExpiration"]> {
  const newerVersions = numberIn(element, "NewerNoncurrentVersions");
  return { days: positive(element, "NoncurrentDays"), ...(newerVersions === undefined ? {} : { newerVersions }) };
}

function positive(element: Element, name: string): number {
  const days = numberIn(element, name);
  if (days === undefined) throw new S3Error("MalformedXML", `${name} is missing.`);
  if (days < 1) throw new S3Error("InvalidArgument", `'${name}' must be a positive integer`);
  return days;
}

function ruleElements(rule: LifecycleRule): Value {
  const { expiration, noncurrentExpiration, abortUploadsAfterDays, filter } = rule;
  return {
    ID: rule.id,
    Status: rule.enabled ? "Enabled" : "Disabled",
    ...(rule.hasPlainPrefix === true ? { Prefix: filter.prefix ?? "" } : { Filter: filterElements(filter) }),
    Expiration:
      expiration === undefined
        ? undefined
        : {
            Days: expiration.days,
            Date: expiration.dateMs === undefined ? undefined : isoFromMs(expiration.dateMs),
            ExpiredObjectDeleteMarker: expiration.expiredObjectDeleteMarker,
          },
    NoncurrentVersionExpiration:
      noncurrentExpiration === undefined
        ? undefined
        : { NoncurrentDays: noncurrentExpiration.days, NewerNoncurrentVersions: noncurrentExpiration.newerVersions },
    AbortIncompleteMultipartUpload:
      abortUploadsAfterDays === undefined ? undefined : { DaysAfterInitiation: abortUploadsAfterDays },
  };
}

function filterElements({ prefix, tags = {}, sizeAbove, sizeBelow, isAnd }: LifecycleFilter): Value {
  const elements = {
    Prefix: prefix,
    Tag: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
    ObjectSizeGreaterThan: sizeAbove,
    ObjectSizeLessThan: sizeBelow,
  };
  return isAnd === true ? { And: elements } : elements;
}
