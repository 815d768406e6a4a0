import { S3Error, type Checksum, type WrittenVersion } from "#domain/s3/index.ts";
import { watchIdle } from "#http/index.ts";
import type { Reservation } from "#kernel/reservations.ts";
import type { Digests } from "#stores/objects/index.ts";
import { requirePolicy, type SizeRange } from "../auth/form-policy.ts";
import { SIGNATURE_FIELDS, type FormFields } from "../auth/form.ts";
import { PUT_BYTES_MAX, senderOf, stage } from "../body.ts";
import { type Staged, keepReserved } from "../reserve.ts";
import { requireKey, type Answer, type Context, type S3GatewayDeps } from "../context.ts";
import { encryptionOf } from "../encryption.ts";
import { base64OfHex, digestOf, expectedChecksum, hexOfBase64, type ExpectedChecksum } from "../wire/checksums.ts";
import { Fields } from "../wire/fields.ts";
import { FormReader } from "../wire/form.ts";
import { versionField } from "../wire/object-fields.ts";
import type { Exchange } from "../wire/request.ts";
import { tagsOfDocument, OBJECT_TAGS_MAX } from "../wire/tags.ts";
import { uriEncodedPath } from "../wire/target.ts";
import { quoted } from "../wire/etag.ts";
import { renderDocument } from "../wire/xml.ts";
import { parseDocument } from "../wire/xml-tree.ts";
import { requireTags } from "./object-subresources.ts";
import { attributesOf, sealed, sealingOf } from "./put-object.ts";

/** Identifies the sender of the form, and returns the context of an operation on the key. */
type Admit = (form: FormFields, key: string, fields: Fields) => Promise<Context>;

/** Handles a browser's upload by a form with a signed policy. Every field must be covered by the policy. */
export async function postObject(deps: S3GatewayDeps, exchange: Exchange, admit: Admit): Promise<Answer> {
  const { raw, bucket: bucketName } = exchange;
  const reader = new FormReader(raw, exchange.fields.get("content-type") ?? "");
  const idle = watchIdle(raw, deps.settings.uploadIdleTimeoutMs);
  try {
    const { fields: form, filename } = await reader.start();
    const key = keyOf(form, filename);
    const context = await admit(form, key, fieldsOf(form));
    const range = sizesOf(deps, form, { bucket: bucketName, key });
    await context.require("s3:PutObject");
    const version = await store(context, form, reader, { range, signal: idle.signal });
    return answerTo(context, form, version);
  } finally {
    idle.release();
    reader.release();
  }
}

function keyOf(form: FormFields, filename: string): string {
  const key = form.get("key");
  if (key === undefined || key === "") throw new S3Error("UserKeyMustBeSpecified");
  return requireKey({ key: key.replaceAll("${filename}", filename) });
}

/** Checks the policy against the final key and the bucket of the address, even if fields name others. */
function sizesOf(
  deps: S3GatewayDeps,
  form: FormFields,
  { bucket, key }: { readonly bucket: string; readonly key: string },
): SizeRange | undefined {
  const claimed = form.get("bucket");
  if (claimed !== undefined && claimed !== bucket)
    throw new S3Error("AccessDenied", "The bucket field differs from the bucket of the address.");
  const policy = form.get("policy");
  if (policy === undefined) return undefined;
  const fields = new Map([...form, ["bucket", bucket] as const, ["key", key] as const]);
  return requirePolicy(policy, fields, deps.clock.nowMs());
}

/** Converts form fields to header fields, with one byte in each character. */
function fieldsOf(form: FormFields): Fields {
  const taken =
    /^(cache-control|content-(type|disposition|encoding|language)|expires|x-amz-(?!signature$|algorithm$|credential$|date$).*)$/;
  const entries = [...form].filter(([name]) => taken.test(name) && !SIGNATURE_FIELDS.has(name));
  const acl = form.get("acl");
  if (acl !== undefined) entries.push(["x-amz-acl", acl]);
  return new Fields(new Map(entries.map(([name, value]) => [name, [Buffer.from(value).toString("latin1")]])));
}

async function store(
  context: Context,
  form: FormFields,
  reader: FormReader,
  { range, signal }: { readonly range: SizeRange | undefined; readonly signal: AbortSignal },
): Promise<WrittenVersion> {
  const { deps, bucket, caller, key, fields } = context;
  const attributes = await attributesOf(context);
  const tagging = form.get("tagging");
  const tags =
    tagging === undefined
      ? attributes.tags
      : tagsOfDocument(parseDocument(Buffer.from(tagging), "Tagging"), OBJECT_TAGS_MAX);
  if (tagging !== undefined) await requireTags(context, "s3:PutObject", tags);
  if (tagging !== undefined && context.principal.kind === "key")
    await requireTags(context, "s3:PutObjectTagging", tags);
  const checksum = expectedChecksum(fields, new Set(), []);
  const expected =
    checksum === null || checksum.value === null ? {} : { [digestOf(checksum.algorithm)]: hexOfBase64(checksum.value) };
  const bytesMax = Math.min(range?.max ?? PUT_BYTES_MAX, PUT_BYTES_MAX);
  const encryption = encryptionOf(context);
  const sender = senderOf(context);
  const options = { bytesMax, expected, sender, signal, digests: ["md5" as const], sealing: sealingOf(encryption) };
  const write = async (reservation: Reservation): Promise<Staged> => {
    const staged = await stage(deps.objects, bucket.orgId, reservation.admit(reader.file()), options);
    if (staged.content.size >= (range?.min ?? 0)) return staged;
    await deps.objects.discard(staged.content);
    throw new S3Error("EntityTooSmall", "Your proposed upload is smaller than the minimum allowed size");
  };
  return keepReserved(context, undefined, write, ({ content, digests }) => {
    const kept = keptChecksum(checksum, digests);
    const object = { key, content, checksum: kept, ...attributes, tags, ...sealed(encryption, digests) };
    return deps.domain.objects.put(caller, bucket, object);
  });
}

function keptChecksum(checksum: ExpectedChecksum | null, digests: Digests): Checksum | null {
  const hex = checksum === null ? undefined : digests[digestOf(checksum.algorithm)];
  if (checksum === null || hex === undefined) return null;
  return { algorithm: checksum.algorithm, type: "FULL_OBJECT", value: base64OfHex(hex) };
}

function answerTo({ deps, bucket, key }: Context, form: FormFields, version: WrittenVersion): Answer {
  const etag = quoted(version.etag);
  const location = `${deps.settings.endpoint}/${bucket.name}/${uriEncodedPath(key)}`;
  const headers = { etag, location, ...versionField(bucket, version.versionId) };
  const redirect = redirectOf(form.get("success_action_redirect") ?? form.get("redirect"));
  if (redirect !== undefined) {
    for (const [name, value] of Object.entries({ bucket: bucket.name, key, etag }))
      redirect.searchParams.append(name, value);
    return { status: 303, headers: { ...headers, location: redirect.href } };
  }
  const status = form.get("success_action_status");
  if (status === "200") return { status: 200, headers };
  if (status !== "201") return { status: 204, headers };
  const elements = { Location: location, Bucket: bucket.name, Key: key, ETag: etag };
  return { status: 201, headers, body: renderDocument("PostResponse", elements, false) };
}

/** Accepts only http and https: another scheme could run a script. */
function redirectOf(text: string | undefined): URL | undefined {
  if (text === undefined || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  return url.protocol === "http:" || url.protocol === "https:" ? url : undefined;
}
