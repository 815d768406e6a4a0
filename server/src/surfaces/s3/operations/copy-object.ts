import { S3Error, type ObjectAttributes, type ObjectVersion } from "#domain/s3/index.ts";
import { requireKey, type Answer, type Context } from "../context.ts";
import { copySourceOf } from "../copy-source.ts";
import { algorithmNamed, checksumElements } from "../wire/checksums.ts";
import { writeConditions } from "../wire/conditions.ts";
import { showsVersions, versionField } from "../wire/object-fields.ts";
import { quoted, xmlTime } from "../wire/text.ts";
import { renderDocument } from "../wire/xml.ts";
import { attributesOf } from "./put-object.ts";

const COPY_BYTES_MAX = 5 * 1024 ** 3;

/** Refers to the same content under another name: no byte is copied. */
export async function copyObject(context: Context): Promise<Answer> {
  const { deps, caller, bucket, fields } = context;
  const key = requireKey(context);
  const source = await copySourceOf(context);
  const { version } = source;
  if (version.size > COPY_BYTES_MAX)
    throw new S3Error(
      "InvalidRequest",
      "The specified copy source is larger than the maximum allowable size for a copy source: 5368709120",
    );
  const attributes = await attributesOfCopy(context, version);
  const algorithm = fields.get("x-amz-checksum-algorithm");
  if (algorithm !== undefined) algorithmNamed(algorithm);
  const isItself = source.bucket.id === bucket.id && version.key === key && context.versionId === undefined;
  if (isItself && version.isLatest && !changesSomething(context))
    throw new S3Error(
      "InvalidRequest",
      "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, website redirect location or encryption attributes.",
    );
  const conditions = writeConditions(fields);
  const copy = await deps.domain.objects.copy(caller, bucket, { key, source: version, conditions, ...attributes });
  const body = renderDocument("CopyObjectResult", {
    ETag: quoted(copy.etag),
    LastModified: xmlTime(copy.modifiedAtMs),
    ...checksumElements(copy.checksum),
  });
  const headers = {
    ...versionField(bucket, copy.versionId),
    ...(showsVersions(source.bucket) ? { "x-amz-copy-source-version-id": version.versionId } : {}),
  };
  return { headers, body };
}

function changesSomething({ fields }: Context): boolean {
  return (
    directiveOf(fields.get("x-amz-metadata-directive"), "metadata") === "REPLACE" ||
    fields.has("x-amz-website-redirect-location") ||
    fields.has("x-amz-storage-class")
  );
}

function directiveOf(text: string | undefined, what: string): "COPY" | "REPLACE" {
  const upper = (text ?? "COPY").toUpperCase();
  if (upper !== "COPY" && upper !== "REPLACE") throw new S3Error("InvalidArgument", `Unknown ${what} directive.`);
  return upper;
}

/** Of the source, or new ones where a directive says so. Its list and its locks are never copied. */
async function attributesOfCopy(context: Context, source: ObjectVersion): Promise<ObjectAttributes> {
  const { fields } = context;
  const given = await attributesOf(context);
  const replacesMetadata = directiveOf(fields.get("x-amz-metadata-directive"), "metadata") === "REPLACE";
  const replacesTags = directiveOf(fields.get("x-amz-tagging-directive"), "tagging") === "REPLACE";
  const redirect = given.headers.websiteRedirectLocation;
  const kept = { ...source.headers, ...(redirect === undefined ? {} : { websiteRedirectLocation: redirect }) };
  return {
    ...given,
    headers: replacesMetadata ? given.headers : kept,
    metadata: replacesMetadata ? given.metadata : source.metadata,
    tags: replacesTags ? given.tags : source.tags,
  };
}
