import { validateAcl, type Checksum, type ObjectAttributes, type SseInfo } from "#domain/s3/index.ts";
import { describeBody, keepBody, PUT_BYTES_MAX, type BodyDescription, type Sealing } from "../body.ts";
import { requireKey, type Answer, type Context } from "../context.ts";
import { encryptionOf, sseFields, type Encryption } from "../encryption.ts";
import { aclOfFields } from "../wire/acl.ts";
import { base64OfHex, checksumFields, digestOf } from "../wire/checksums.ts";
import { writeConditions } from "../wire/conditions.ts";
import { contentHeadersOf, expirationField, lockOf, metadataOf, versionField } from "../wire/object-fields.ts";
import { tagsOfField } from "../wire/tags.ts";
import { quoted } from "../wire/etag.ts";
import type { Digests } from "#stores/objects/index.ts";

/**
 * Makes every decision before the body is requested. The object changes only when the whole body has arrived and was
 * verified.
 */
export async function putObject(context: Context): Promise<Answer> {
  const { deps, bucket, caller, fields } = context;
  const key = requireKey(context);
  const attributes = await attributesOf(context);
  const encryption = encryptionOf(context);
  const description = describeBody(context, PUT_BYTES_MAX);
  const conditions = writeConditions(fields);
  await deps.domain.objects.checkPut(bucket, { key, conditions });
  const limits = { bytesMax: PUT_BYTES_MAX, sealing: sealingOf(encryption) };
  const version = await keepBody(context, description, limits, ({ content, digests }) => {
    const object = { key, content, conditions, checksum: checksumOf(description, digests), ...attributes };
    return deps.domain.objects.put(caller, bucket, { ...object, ...sealed(encryption, digests) });
  });
  return {
    headers: {
      etag: quoted(version.etag),
      ...checksumFields(version.checksum),
      ...versionField(bucket, version.versionId),
      ...expirationField(bucket, version),
      ...sseFields(version.sse),
    },
  };
}

export function sealingOf(encryption: Encryption | null): Sealing | null {
  return encryption === null ? null : { key: encryption.key, nonce: encryption.info.nonce ?? "" };
}

/** The properties of encrypted content that the stored content does not show. */
export function sealed(encryption: Encryption | null, digests: Digests): { etag?: string; sse: SseInfo | null } {
  if (encryption === null) return { sse: null };
  return { sse: encryption.info, ...(digests.md5 === undefined ? {} : { etag: digests.md5 }) };
}

/** Returns the verified checksum of a whole body, in its stored form. */
export function checksumOf(
  { checksum, computes }: Pick<BodyDescription, "checksum" | "computes">,
  digests: Digests,
): Checksum | null {
  const algorithm = checksum?.algorithm ?? computes;
  const hex = algorithm === undefined ? undefined : digests[digestOf(algorithm)];
  if (algorithm === undefined || hex === undefined) return null;
  return { algorithm, type: "FULL_OBJECT", value: base64OfHex(hex) };
}

/**
 * Returns the attributes of a new object from the header fields, as far as the sender may set them.
 * @throws S3Error
 */
export async function attributesOf(context: Context): Promise<ObjectAttributes> {
  const { deps, bucket, fields, principal } = context;
  const owner = principal.kind === "key" ? principal.owner : bucket.owner;
  const acl = aclOfFields(fields, owner, bucket.owner);
  if (acl !== undefined) {
    validateAcl(bucket, acl);
    await deps.domain.buckets.requireReached(bucket, acl);
  }
  const tags = tagsOfField(fields.get("x-amz-tagging"));
  const lock = lockOf(fields, bucket, deps.clock.nowMs());
  // An anonymous sender may set the access list of the object that it creates.
  if (acl !== undefined && principal.kind === "key") await context.require("s3:PutObjectAcl");
  if (Object.keys(tags).length > 0) await context.require("s3:PutObjectTagging");
  if (lock.retention !== undefined) await context.require("s3:PutObjectRetention");
  if (lock.legalHold !== undefined) await context.require("s3:PutObjectLegalHold");
  return {
    headers: contentHeadersOf(fields),
    metadata: metadataOf(fields),
    tags,
    ...(acl === undefined ? {} : { acl }),
    ...lock,
  };
}
