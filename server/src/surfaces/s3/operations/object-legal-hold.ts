import { S3Error } from "#domain/s3/index.ts";
import { readSmallBody } from "../body.ts";
import type { Answer, Context } from "../context.ts";
import { versionField } from "../wire/object-fields.ts";
import { renderDocument } from "../wire/xml.ts";
import { parseDocument, requiredText } from "../wire/xml-tree.ts";
import { requireLock } from "./object-retention.ts";

const BODY_BYTES_MAX = 64 * 1024;

export async function getObjectLegalHold(context: Context): Promise<Answer> {
  const { deps, bucket, key, versionId } = context;
  requireLock(context);
  const { legalHold } = await deps.domain.objects.head(bucket, { key, versionId });
  return { body: renderDocument("LegalHold", { Status: legalHold ? "ON" : "OFF" }) };
}

export async function putObjectLegalHold(context: Context): Promise<Answer> {
  const { deps, caller, bucket, key, versionId } = context;
  requireLock(context);
  const root = parseDocument(await readSmallBody(context, BODY_BYTES_MAX), "LegalHold");
  const status = requiredText(root, "Status");
  if (status !== "ON" && status !== "OFF") throw new S3Error("MalformedXML", "Status must be ON or OFF.");
  const version = await deps.domain.objects.setLegalHold(caller, bucket, { key, versionId }, status === "ON");
  return { headers: versionField(bucket, version.versionId) };
}
