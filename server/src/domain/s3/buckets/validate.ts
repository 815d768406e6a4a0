import { S3Error } from "../errors.ts";
import type { BucketConfig, BucketConfigKind, CorsRule, LifecycleRule, Tags } from "../types/index.ts";

const RULES_MAX = 1000;
const CORS_RULES_MAX = 100;
const BUCKET_TAGS_MAX = 50;
export const OBJECT_TAGS_MAX = 10;
const DAYS_MAX = 36_500;

/**
 * Validates one part of the configuration, without comparing it with the rest.
 * @throws S3Error
 */
export function validateConfig(config: BucketConfig, kind: BucketConfigKind): void {
  const { cors, lifecycle, tagging, objectLock, notification, encryption } = config;
  if (kind === "cors" && cors !== undefined) requireCors(cors);
  if (kind === "lifecycle" && lifecycle !== undefined) requireLifecycle(lifecycle);
  if (kind === "tagging" && tagging !== undefined) requireTags(tagging, BUCKET_TAGS_MAX);
  if (kind === "notification" && (notification?.length ?? 0) > 100)
    throw new S3Error("InvalidArgument", "A bucket has 100 notifications at most.");
  if (kind === "encryption" && encryption !== undefined && encryption.algorithm !== "AES256")
    throw new S3Error("NotImplemented", "Only AES256 is supported: there is no key management service.");
  const retention = objectLock?.defaultRetention;
  if (kind !== "objectLock" || retention === undefined) return;
  const amount = "days" in retention ? retention.days : retention.years;
  if (!Number.isInteger(amount) || amount < 1 || amount > ("days" in retention ? DAYS_MAX : 100))
    throw new S3Error("InvalidRetentionPeriod");
}

/** @throws S3Error `InvalidTag`, `BadRequest` */
export function requireTags(tags: Tags, max: number): void {
  const entries = Object.entries(tags);
  if (entries.length > max)
    throw new S3Error(max === OBJECT_TAGS_MAX ? "BadRequest" : "InvalidTag", `There may be ${max} tags at most.`);
  for (const [name, value] of entries) {
    if (name === "" || charsOf(name) > 128) throw new S3Error("InvalidTag", "A tag's key has 1 to 128 characters.");
    if (charsOf(value) > 256) throw new S3Error("InvalidTag", "A tag's value has 256 characters at most.");
    if (name.toLowerCase().startsWith("aws:")) throw new S3Error("InvalidTag", "A tag's key can't begin with aws:.");
  }
}

/** Counts code points, not bytes. */
function charsOf(text: string): number {
  return Array.from(text).length;
}

function requireCors(rules: readonly CorsRule[]): void {
  if (rules.length === 0) throw new S3Error("MalformedXML");
  if (rules.length > CORS_RULES_MAX)
    throw new S3Error("InvalidRequest", `There may be ${CORS_RULES_MAX} CORS rules at most.`);
  for (const { allowedOrigins, allowedHeaders, allowedMethods } of rules) {
    if (allowedOrigins.length === 0 || allowedMethods.length === 0) throw new S3Error("MalformedXML");
    const bad = [...allowedOrigins, ...allowedHeaders].find((text) => text.split("*").length > 2);
    if (bad !== undefined) throw new S3Error("InvalidRequest", `${bad} has more than one wildcard.`);
    const method = allowedMethods.find((name) => !/^(GET|PUT|POST|DELETE|HEAD)$/.test(name));
    if (method !== undefined) throw new S3Error("InvalidRequest", `CORS can't allow the method ${method}.`);
  }
}

function requireLifecycle(rules: readonly LifecycleRule[]): void {
  if (rules.length === 0 || rules.length > RULES_MAX) throw new S3Error("MalformedXML");
  const ids = new Set<string>();
  for (const rule of rules) {
    if (rule.id.length > 255) throw new S3Error("InvalidArgument", "The id of a rule has 255 characters at most.");
    if (ids.has(rule.id)) throw new S3Error("InvalidArgument", "Two rules have the same id.");
    ids.add(rule.id);
    requireRule(rule);
  }
}

function requireRule({ expiration, noncurrentExpiration, abortUploadsAfterDays, filter }: LifecycleRule): void {
  const days = [expiration?.days, noncurrentExpiration?.days, abortUploadsAfterDays].filter(
    (value) => value !== undefined,
  );
  if (days.some((value) => !Number.isInteger(value) || value < 1))
    throw new S3Error("InvalidArgument", "Days must be a whole number from 1 on.");
  if (expiration === undefined && noncurrentExpiration === undefined && abortUploadsAfterDays === undefined)
    throw new S3Error("InvalidRequest", "A rule needs at least one action.");
  const { dateMs } = expiration ?? {};
  if (dateMs !== undefined && dateMs % 86_400_000 !== 0)
    throw new S3Error("InvalidArgument", "Date must be at midnight UTC.");
  const kinds = [expiration?.days, dateMs, expiration?.expiredObjectDeleteMarker].filter(
    (value) => value !== undefined,
  );
  if (expiration !== undefined && kinds.length !== 1) throw new S3Error("MalformedXML");
  if (abortUploadsAfterDays !== undefined && filter.tags !== undefined)
    throw new S3Error("InvalidRequest", "Uploads have no tags to filter by.");
  if (filter.tags !== undefined) requireTags(filter.tags, OBJECT_TAGS_MAX);
}
