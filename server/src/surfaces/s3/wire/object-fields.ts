import {
  expirationOf,
  S3Error,
  type Bucket,
  type ContentHeaders,
  type LockMode,
  type ObjectVersion,
  type WrittenVersion,
  type Retention,
} from "#domain/s3/index.ts";
import { isoFromMs } from "#kernel/time.ts";
import { msOfDate } from "./dates.ts";
import type { Fields } from "./fields.ts";
import { quoted } from "./etag.ts";
import { httpTime, invalidArgument } from "./text.ts";

const METADATA = "x-amz-meta-";
const METADATA_BYTES_MAX = 2048;

const CONTENT_FIELDS = {
  contentType: "content-type",
  cacheControl: "cache-control",
  contentDisposition: "content-disposition",
  contentEncoding: "content-encoding",
  contentLanguage: "content-language",
  expires: "expires",
  websiteRedirectLocation: "x-amz-website-redirect-location",
} as const satisfies Record<keyof ContentHeaders, string>;

/** Returns the field that says when a rule of the bucket will delete the object. */
export function expirationField(bucket: Bucket, version: WrittenVersion): Record<string, string> {
  const expiration = version.isLatest ? expirationOf(bucket.config.lifecycle, version) : null;
  if (expiration === null) return {};
  const id = encodeURIComponent(expiration.ruleId);
  return { "x-amz-expiration": `expiry-date="${httpTime(expiration.atMs)}", rule-id="${id}"` };
}

const DEFAULT_TYPE = "binary/octet-stream";

/** Returns the fields to store with the object. `aws-chunked` describes the transfer, so it is not stored. */
export function contentHeadersOf(fields: Fields): ContentHeaders {
  const headers: Record<string, string> = {};
  for (const [name, field] of Object.entries(CONTENT_FIELDS)) {
    const value = field === "content-encoding" ? withoutFraming(fields.list(field)) : fields.list(field);
    if (value !== undefined && value !== "") headers[name] = value;
  }
  return headers;
}

function withoutFraming(encoding: string | undefined): string | undefined {
  if (encoding === undefined || !/aws-chunked/i.test(encoding)) return encoding;
  return encoding
    .split(",")
    .map((coding) => coding.trim())
    .filter((coding) => coding.toLowerCase() !== "aws-chunked")
    .join(",");
}

/** Keeps one byte in each character, so that metadata is sent back unchanged. @throws S3Error `MetadataTooLarge` */
export function metadataOf(fields: Fields): Record<string, string> {
  const entries = fields
    .names()
    .filter((name) => name.startsWith(METADATA))
    .map((name): [string, string] => [name.slice(METADATA.length), fields.list(name) ?? ""]);
  const bytes = entries.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (bytes > METADATA_BYTES_MAX)
    throw new S3Error("MetadataTooLarge", undefined, {
      fields: { Size: String(bytes), MaxSizeAllowed: String(METADATA_BYTES_MAX) },
    });
  return Object.fromEntries(entries);
}

/** @throws S3Error `InvalidArgument`, `InvalidRequest` */
export function lockOf(fields: Fields, bucket: Bucket, nowMs: number): { retention?: Retention; legalHold?: boolean } {
  const mode = fields.get("x-amz-object-lock-mode");
  const until = fields.get("x-amz-object-lock-retain-until-date");
  const hold = fields.get("x-amz-object-lock-legal-hold");
  if (mode === undefined && until === undefined && hold === undefined) return {};
  if (bucket.config.objectLock === undefined)
    throw new S3Error("InvalidRequest", "Bucket is missing Object Lock Configuration");
  if ((mode === undefined) !== (until === undefined))
    throw new S3Error(
      "InvalidArgument",
      "x-amz-object-lock-retain-until-date and x-amz-object-lock-mode must both be supplied",
    );
  return {
    ...(mode === undefined || until === undefined ? {} : { retention: retentionOf(mode, until, nowMs) }),
    ...(hold === undefined ? {} : { legalHold: isOn(hold) }),
  };
}

function isOn(hold: string): boolean {
  if (hold !== "ON" && hold !== "OFF") throw invalidArgument("x-amz-object-lock-legal-hold", hold, "must be ON or OFF");
  return hold === "ON";
}

/** @throws S3Error `InvalidArgument` */
export function retentionOf(mode: string, until: string, nowMs: number): Retention {
  if (mode !== "GOVERNANCE" && mode !== "COMPLIANCE")
    throw invalidArgument("x-amz-object-lock-mode", mode, "Unknown wormMode directive; it is GOVERNANCE or COMPLIANCE");
  const untilMs = msOfDate(until);
  if (Number.isNaN(untilMs)) throw invalidArgument("x-amz-object-lock-retain-until-date", until, "must be in ISO 8601");
  if (untilMs <= nowMs) throw invalidArgument("x-amz-object-lock-retain-until-date", until, "must be in the future");
  return { mode: mode satisfies LockMode, untilMs };
}

/** Whether answers show versions. */
export function showsVersions(bucket: Bucket): boolean {
  return bucket.versioning !== "unversioned";
}

export function versionField(bucket: Bucket, versionId: string | null): Record<string, string> {
  return showsVersions(bucket) && versionId !== null ? { "x-amz-version-id": versionId } : {};
}

/** Returns all header fields of an object in a read, except those of its size, range and checksum. */
export function objectFields(bucket: Bucket, version: ObjectVersion): Record<string, string> {
  const fields: Record<string, string> = {
    etag: quoted(version.etag),
    "last-modified": httpTime(version.modifiedAtMs),
    "accept-ranges": "bytes",
    "content-type": DEFAULT_TYPE,
    ...versionField(bucket, version.versionId),
    ...expirationField(bucket, version),
  };
  for (const [name, field] of Object.entries(CONTENT_FIELDS)) {
    const value = version.headers[name as keyof ContentHeaders];
    if (value !== undefined) fields[field] = value;
  }
  for (const [name, value] of Object.entries(version.metadata)) fields[METADATA + name] = value;
  const tags = Object.keys(version.tags).length;
  if (tags > 0) fields["x-amz-tagging-count"] = String(tags);
  if (version.retention !== null) {
    fields["x-amz-object-lock-mode"] = version.retention.mode;
    fields["x-amz-object-lock-retain-until-date"] = isoFromMs(version.retention.untilMs);
  }
  if (version.legalHold) fields["x-amz-object-lock-legal-hold"] = "ON";
  return fields;
}
