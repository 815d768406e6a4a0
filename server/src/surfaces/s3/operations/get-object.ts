import type { ServerResponse } from "node:http";
import { S3Error, type Checksum, type ObjectVersion } from "#domain/s3/index.ts";
import { isDisconnect } from "#http/index.ts";
import type { Answer, Context } from "../context.ts";
import { keyOf, plaintextOf, sendChunks, sseFields } from "../encryption.ts";
import { checksumElements, checksumFields } from "../wire/checksums.ts";
import { rangeOf, requireReadConditions, type Span } from "../wire/conditions.ts";
import type { Fields } from "../wire/fields.ts";
import { objectFields, versionField } from "../wire/object-fields.ts";
import { safetyFields } from "../wire/safety.ts";
import { httpTime, invalidArgument, pageMax } from "../wire/text.ts";
import { renderDocument, type Value } from "../wire/xml.ts";

/** Sends the content, a range or a part. */
export async function getObject(context: Context): Promise<Answer> {
  const { deps, bucket } = context;
  const { version, span, key, headers } = await described(context);
  const status = span === undefined ? 200 : 206;
  const failed = (error: unknown): void => context.exchange.noteBroken(error);
  if (key !== null) {
    const chunks = plaintextOf(deps.objects, bucket.orgId, { version, key, span });
    return { status, headers, send: (response) => logged(context, sendChunks(chunks, response, failed)) };
  }
  // Open the content before the head is sent, so that missing content can still be answered with an error.
  const reader = await deps.objects.open(bucket.orgId, version.blobId, span === undefined ? {} : { range: span });
  const send = (response: ServerResponse): Promise<void> => logged(context, reader.pipeTo(response, { failed }));
  return { status, headers, send, release: () => reader.close() };
}

/** Logs a failure of sending. The head was sent, so the client sees only that the connection was cut. */
async function logged({ deps, exchange }: Context, sending: Promise<void>): Promise<void> {
  try {
    await sending;
  } catch (error) {
    const { raw, requestId: req } = exchange;
    if (!isDisconnect(error, raw)) deps.log.error({ err: error, req }, "cannot send an object's content");
  }
}

/** Sends the header fields of GET without the content. */
export async function headObject(context: Context): Promise<Answer> {
  const { span, headers } = await described(context);
  return { status: span === undefined ? 200 : 206, headers };
}

interface Described {
  readonly version: ObjectVersion;
  readonly span: Span | undefined;
  /** The key of encrypted content. */
  readonly key: Buffer | null;
  readonly headers: Readonly<Record<string, string>>;
}

async function described(context: Context): Promise<Described> {
  const { bucket, fields } = context;
  const overrides = overridesOf(context);
  requireNoEncryptionAsked(fields);
  const version = await found(context);
  const sealingKey = keyOf(context, version.sse);
  requireReadConditions(fields, version);
  const part = partOf(context, version);
  const span = part ?? rangeOf(fields, version);
  const length = span === undefined ? version.size : span.end - span.start;
  const showsChecksum =
    fields.get("x-amz-checksum-mode")?.toUpperCase() === "ENABLED" && (span === undefined || part !== undefined);
  const base = { ...objectFields(bucket, version), ...sseFields(version.sse), ...overrides };
  const headers = {
    ...base,
    "content-length": String(length),
    ...(span === undefined ? {} : { "content-range": `bytes ${span.start}-${span.end - 1}/${version.size}` }),
    ...(part === undefined || version.parts === null ? {} : { "x-amz-mp-parts-count": String(version.parts.length) }),
    ...(showsChecksum ? checksumFields(part === undefined ? version.checksum : checksumOfPart(context, version)) : {}),
    ...safetyFields(base, context.auth.kind),
  };
  return { version, span, key: sealingKey, headers };
}

/**
 * Returns the object. Only a caller who may list the bucket learns that a key is absent. Others get the same answer for
 * absent and forbidden keys.
 * @throws S3Error `NoSuchKey`, `NoSuchVersion`, `MethodNotAllowed`, `AccessDenied`
 */
async function found(context: Context): Promise<ObjectVersion> {
  const { deps, bucket, principal, key, versionId, conditions } = context;
  const denial = await context.require(versionId === undefined ? "s3:GetObject" : "s3:GetObjectVersion").then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  try {
    const version = await deps.domain.objects.head(bucket, { key, versionId });
    if (denial === undefined) return version;
  } catch (error) {
    const values = { ...conditions.values, "s3:prefix": key };
    const mayKnow = (): Promise<boolean> =>
      deps.domain.access.allows(principal, { ...conditions, values, action: "s3:ListBucket", bucket });
    if (!(error instanceof S3Error) || (error.code === "NoSuchKey" ? await mayKnow() : denial === undefined))
      throw error;
  }
  throw denial === undefined ? new S3Error("AccessDenied") : denial.error;
}

/** This header field is for writes. It is refused on reads, because S3 refuses it too. */
function requireNoEncryptionAsked(fields: Fields): void {
  if (fields.has("x-amz-server-side-encryption"))
    throw new S3Error("InvalidArgument", "x-amz-server-side-encryption header is not supported for this operation.");
}

/** Returns the checksum of a part, if the upload had part checksums. */
function checksumOfPart({ parameter }: Context, { checksum, parts }: ObjectVersion): Checksum | null {
  if (parts === null) return checksum;
  const value = parts.find(({ number }) => number === Number(parameter("partNumber")))?.checksum;
  return checksum === null || value === undefined ? null : { ...checksum, value };
}

/**
 * Returns the range of the part that `partNumber` names. An object in one piece has one part.
 * @throws S3Error `InvalidPartNumber`
 */
function partOf({ parameter, fields }: Context, version: ObjectVersion): Span | undefined {
  const text = parameter("partNumber");
  if (text === undefined) return undefined;
  if (!/^[0-9]{1,5}$/.test(text) || Number(text) < 1 || Number(text) > 10_000)
    throw invalidArgument("partNumber", text, "must be a whole number from 1 to 10000");
  if (fields.has("range"))
    throw new S3Error("InvalidRequest", "Cannot specify both Range header and partNumber query parameter");
  const number = Number(text);
  if (version.parts === null) {
    if (number !== 1) throw new S3Error("InvalidPartNumber");
    return version.size === 0 ? undefined : { start: 0, end: version.size };
  }
  let start = 0;
  for (const part of version.parts) {
    if (part.number === number) return { start, end: start + part.size };
    start += part.size;
  }
  throw new S3Error("InvalidPartNumber");
}

const OVERRIDES: Readonly<Record<string, string>> = {
  "response-content-type": "content-type",
  "response-content-language": "content-language",
  "response-expires": "expires",
  "response-cache-control": "cache-control",
  "response-content-disposition": "content-disposition",
  "response-content-encoding": "content-encoding",
};

/**
 * Returns the response fields that the request overrides. Only a request whose query is signed may override them.
 * @throws S3Error `InvalidRequest`, `InvalidArgument`
 */
function overridesOf({ exchange, auth }: Context): Record<string, string> {
  const overrides: Record<string, string> = {};
  for (const { name, value } of exchange.target.query) {
    const field = Object.hasOwn(OVERRIDES, name) ? OVERRIDES[name] : undefined;
    if (field === undefined) continue;
    if (auth.kind === "anonymous")
      throw new S3Error(
        "InvalidRequest",
        "Request specific response headers cannot be used for anonymous GET requests.",
      );
    // oxlint-disable-next-line no-control-regex -- they would begin another field
    if (/[\x00-\x08\x0a-\x1f\x7f]/.test(value)) throw invalidArgument(name, value, "must have no control characters");
    overrides[field] = Buffer.from(value).toString("latin1");
  }
  return overrides;
}

const ATTRIBUTES = new Set(["ETag", "Checksum", "ObjectParts", "StorageClass", "ObjectSize"]);

/** Returns the attributes that `x-amz-object-attributes` names. */
export async function getObjectAttributes(context: Context): Promise<Answer> {
  const { deps, bucket, key, versionId, fields } = context;
  const names = (fields.list("x-amz-object-attributes") ?? "").split(",").map((name) => name.trim());
  if (names.some((name) => !ATTRIBUTES.has(name)))
    throw new S3Error("InvalidArgument", "Invalid attribute name specified.");
  const version = await deps.domain.objects.head(bucket, { key, versionId });
  keyOf(context, version.sse);
  const all: Record<string, Value> = {
    ETag: version.etag,
    Checksum: version.checksum === null ? undefined : checksumElements(version.checksum),
    ObjectParts: partElements(context, version),
    StorageClass: "STANDARD",
    ObjectSize: version.size,
  };
  const asked = Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)));
  return {
    headers: { "last-modified": httpTime(version.modifiedAtMs), ...versionField(bucket, version.versionId) },
    body: renderDocument("GetObjectAttributesResponse", asked),
  };
}

function partElements({ fields }: Context, { parts, checksum }: ObjectVersion): Value {
  if (parts === null) return undefined;
  const max = pageMax("x-amz-max-parts", fields.get("x-amz-max-parts"));
  const after = pageMax("x-amz-part-number-marker", fields.get("x-amz-part-number-marker") ?? "0", 10_000);
  const following = parts.filter(({ number }) => number > after);
  const page = following.slice(0, max);
  const isTruncated = following.length > page.length;
  return {
    PartsCount: parts.length, // Clients read this name; the documentation says TotalPartsCount.
    PartNumberMarker: after,
    NextPartNumberMarker: page.at(-1)?.number ?? after,
    MaxParts: max,
    IsTruncated: isTruncated,
    Part: page.map((part) => ({
      PartNumber: part.number,
      Size: part.size,
      ...(checksum === null || part.checksum === undefined ? {} : { [`Checksum${checksum.algorithm}`]: part.checksum }),
    })),
  };
}
