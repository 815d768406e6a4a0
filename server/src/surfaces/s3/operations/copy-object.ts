import {
  S3Error,
  type Checksum,
  type ChecksumAlgorithm,
  type CopyObject,
  type ObjectAttributes,
  type ObjectVersion,
  type WrittenVersion,
} from "#domain/s3/index.ts";
import { requireKey, type Answer, type Context } from "../context.ts";
import { copySourceOf, keepCopied, type CopySource } from "../copy-source.ts";
import { encryptionOf, sseFields } from "../encryption.ts";
import { algorithmNamed, checksumElements, digestOf } from "../wire/checksums.ts";
import { writeConditions } from "../wire/conditions.ts";
import { showsVersions, versionField } from "../wire/object-fields.ts";
import { quoted } from "../wire/etag.ts";
import { xmlTime } from "../wire/text.ts";
import { renderDocument } from "../wire/xml.ts";
import { attributesOf, checksumOf, sealed, sealingOf } from "./put-object.ts";

const COPY_BYTES_MAX = 5 * 1024 ** 3;

/**
 * Stores a reference to the same content under another name. Bytes are copied only if the encryption or the checksum
 * changes.
 */
export async function copyObject(context: Context): Promise<Answer> {
  const { bucket, fields } = context;
  const key = requireKey(context);
  const source = await copySourceOf(context);
  const { version } = source;
  if (version.size > COPY_BYTES_MAX)
    throw new S3Error(
      "InvalidRequest",
      "The specified copy source is larger than the maximum allowable size for a copy source: 5368709120",
    );
  const attributes = await attributesOfCopy(context, version);
  requireChange(context, source, key);
  const conditions = writeConditions(fields);
  const copy = await copied(context, source, { key, conditions, ...attributes });
  const body = renderDocument("CopyObjectResult", {
    ETag: quoted(copy.etag),
    LastModified: xmlTime(copy.modifiedAtMs),
    ...checksumElements(copy.checksum),
  });
  const headers = {
    ...versionField(bucket, copy.versionId),
    ...(showsVersions(source.bucket) ? { "x-amz-copy-source-version-id": version.versionId } : {}),
    ...sseFields(copy.sse),
  };
  return { headers, body };
}

async function copied(
  context: Context,
  source: CopySource,
  attributes: Omit<CopyObject, "source">,
): Promise<WrittenVersion> {
  const { deps, caller, bucket, fields } = context;
  const { version } = source;
  const named = fields.get("x-amz-checksum-algorithm");
  const algorithm = named === undefined ? undefined : algorithmNamed(named);
  const encryption = encryptionOf(context);
  const isSealedAlike =
    version.sse?.kind !== "SSE-C" && (encryption === null || encryption.info.kind === version.sse?.kind);
  const isCheckedAlike = algorithm === undefined || isFull(version.checksum, algorithm);
  if (isSealedAlike && isCheckedAlike)
    return deps.domain.objects.copy(caller, bucket, { ...attributes, source: version });
  const computes = algorithm ?? version.checksum?.algorithm;
  const digests = ["md5" as const, ...(computes === undefined ? [] : [digestOf(computes)])];
  return keepCopied(context, source, { sealing: sealingOf(encryption), digests }, (staged) => {
    const checksum = checksumOf({ checksum: null, ...(computes === undefined ? {} : { computes }) }, staged.digests);
    const object = { ...attributes, content: staged.content, checksum, ...sealed(encryption, staged.digests) };
    return deps.domain.objects.put(caller, bucket, object);
  });
}

function isFull(checksum: Checksum | null, algorithm: ChecksumAlgorithm): boolean {
  return checksum?.type === "FULL_OBJECT" && checksum.algorithm === algorithm;
}

function requireChange(context: Context, source: CopySource, key: string): void {
  const { bucket, version } = source;
  const isItself = bucket.id === context.bucket.id && version.key === key && version.isLatest;
  if (!isItself || changesSomething(context)) return;
  throw new S3Error(
    "InvalidRequest",
    "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, website redirect location or encryption attributes.",
  );
}

function changesSomething({ fields }: Context): boolean {
  return (
    directiveOf(fields.get("x-amz-metadata-directive"), "metadata") === "REPLACE" ||
    fields.has("x-amz-website-redirect-location") ||
    fields.has("x-amz-storage-class") ||
    fields.names().some((name) => name.startsWith("x-amz-server-side-encryption"))
  );
}

function directiveOf(text: string | undefined, what: string): "COPY" | "REPLACE" {
  const upper = (text ?? "COPY").toUpperCase();
  if (upper !== "COPY" && upper !== "REPLACE") throw new S3Error("InvalidArgument", `Unknown ${what} directive.`);
  return upper;
}

/**
 * Returns the attributes of the source, or new ones if a directive says so. Access lists and locks are never copied.
 */
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
