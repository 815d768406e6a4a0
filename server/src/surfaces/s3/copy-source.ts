import { S3Error, type Bucket, type ObjectVersion } from "#domain/s3/index.ts";
import type { DigestAlgorithm } from "#stores/objects/index.ts";
import { stage, type Sealing } from "./body.ts";
import { type Staged, keepReserved } from "./reserve.ts";
import { requireKey, type Context } from "./context.ts";
import { COPY_SOURCE, keyOf, plaintextOf } from "./encryption.ts";
import { requireReadConditions, type Span } from "./wire/conditions.ts";
import { parseTarget } from "./wire/target.ts";

export interface CopySource {
  readonly bucket: Bucket;
  readonly version: ObjectVersion;
}

/**
 * Returns the object that `x-amz-copy-source` names. The source is decoded like a request's path. The caller needs the
 * permission to read it, as for a GET, before anything about it is revealed.
 * @throws S3Error `InvalidArgument`, `AccessDenied`, `NoSuchKey`, `NoSuchBucket`, `PreconditionFailed`
 */
export async function copySourceOf(context: Context): Promise<CopySource> {
  const { deps, principal, fields } = context;
  const { bucket: name, key, versionId } = sourceNamed(fields.get("x-amz-copy-source") ?? "");
  const bucket = await deps.domain.buckets.find(principal, name);
  const action = versionId === undefined ? "s3:GetObject" : "s3:GetObjectVersion";
  await deps.domain.access.require(principal, {
    ...context.conditions,
    action,
    bucket,
    key,
    ...(versionId === undefined ? {} : { versionId }),
  });
  if (bucket.orgId !== context.bucket.orgId) throw new S3Error("AccessDenied");
  const version = await deps.domain.objects.head(bucket, { key, versionId });
  requireReadConditions(fields, version, "x-amz-copy-source-");
  return { bucket, version };
}

/**
 * Stores the source's bytes, or a range of them, as new content, and calls `keep` with it. For sources whose content
 * can't be shared.
 * @throws S3Error
 */
export async function keepCopied<T>(
  context: Context,
  { bucket, version }: CopySource,
  options: { readonly span?: Span; readonly sealing: Sealing | null; readonly digests: readonly DigestAlgorithm[] },
  keep: (staged: Staged) => Promise<T>,
): Promise<T> {
  const { deps } = context;
  const { span, sealing, digests } = options;
  const key = keyOf(context, version.sse, COPY_SOURCE);
  const size = span === undefined ? version.size : span.end - span.start;
  const chunks = plaintextOf(deps.objects, bucket.orgId, { version, key, span });
  const write = (): Promise<Staged> =>
    stage(deps.objects, context.bucket.orgId, chunks, { bytesMax: size, size, sealing, digests });
  return keepReserved(context, size, write, keep);
}

function sourceNamed(text: string): { bucket: string; key: string; versionId: string | undefined } {
  const mark = text.lastIndexOf("?versionId=");
  const path = mark < 0 ? text : text.slice(0, mark);
  const decoded = pathOf(path.startsWith("/") ? path : `/${path}`);
  const slash = decoded.indexOf("/", 1);
  if (slash < 2 || slash === decoded.length - 1)
    throw new S3Error("InvalidArgument", "Copy Source must mention the source bucket and key: sourcebucket/sourcekey");
  const versionId = mark < 0 ? undefined : text.slice(mark + "?versionId=".length);
  const key = requireKey({ key: decoded.slice(slash + 1) });
  return { bucket: decoded.slice(1, slash), key, versionId: versionId === "" ? undefined : versionId };
}

/** Keeps a `?` in the key, unless it begins the version. */
function pathOf(path: string): string {
  try {
    return parseTarget(path.replaceAll("?", "%3F")).path;
  } catch {
    throw new S3Error("InvalidArgument", "x-amz-copy-source can't be read.");
  }
}
