import { S3Error, type Retention } from "#domain/s3/index.ts";
import { isoFromMs } from "#kernel/time.ts";
import { msOfDate } from "../wire/dates.ts";
import { readSmallBody } from "../body.ts";
import type { Answer, Context } from "../context.ts";
import { versionField } from "../wire/object-fields.ts";
import { renderDocument } from "../wire/xml.ts";
import { parseDocument, textIn } from "../wire/xml-tree.ts";
import { bypassesGovernance } from "./delete-object.ts";

const BODY_BYTES_MAX = 64 * 1024;

export async function getObjectRetention(context: Context): Promise<Answer> {
  const { deps, bucket, key, versionId } = context;
  requireLock(context);
  const { retention } = await deps.domain.objects.head(bucket, { key, versionId });
  if (retention === null) throw new S3Error("NoSuchObjectLockConfiguration");
  const { mode: Mode, untilMs } = retention;
  return { body: renderDocument("Retention", { Mode, RetainUntilDate: isoFromMs(untilMs) }) };
}

export async function putObjectRetention(context: Context): Promise<Answer> {
  const { deps, caller, bucket, key, versionId } = context;
  requireLock(context);
  const root = parseDocument(await readSmallBody(context, BODY_BYTES_MAX), "Retention");
  const [mode, until] = [textIn(root, "Mode"), textIn(root, "RetainUntilDate")];
  const untilMs = msOfDate(until ?? "");
  const isMode = mode === "GOVERNANCE" || mode === "COMPLIANCE";
  // An empty document takes the retention away.
  if ((mode !== undefined || until !== undefined) && (!isMode || Number.isNaN(untilMs)))
    throw new S3Error("MalformedXML");
  const retention: Retention | null = isMode ? { mode, untilMs } : null;
  const change = { retention, bypassGovernance: await bypassesGovernance(context) };
  const version = await deps.domain.objects.setRetention(caller, bucket, { key, versionId }, change);
  return { headers: versionField(bucket, version.versionId) };
}

/** @throws S3Error `InvalidRequest` */
export function requireLock({ bucket }: Context): void {
  if (bucket.config.objectLock === undefined)
    throw new S3Error("InvalidRequest", "Bucket is missing Object Lock Configuration");
}
