import { S3Error } from "#domain/s3/index.ts";
import { readSmallBody } from "../body.ts";
import type { Answer, Context } from "../context.ts";
import { renderDocument } from "../wire/xml.ts";
import { parseDocument, textIn } from "../wire/xml-tree.ts";

const BODY_BYTES_MAX = 64 * 1024;
const STATUS = { enabled: "Enabled", suspended: "Suspended", unversioned: undefined } as const;

export async function getBucketVersioning({ bucket }: Context): Promise<Answer> {
  return { body: renderDocument("VersioningConfiguration", { Status: STATUS[bucket.versioning] }) };
}

export async function putBucketVersioning(context: Context): Promise<Answer> {
  const { deps, caller, bucket } = context;
  const root = parseDocument(await readSmallBody(context, BODY_BYTES_MAX), "VersioningConfiguration");
  const status = textIn(root, "Status");
  if (textIn(root, "MfaDelete") === "Enabled") throw new S3Error("NotImplemented", "MfaDelete is not implemented.");
  if (status !== "Enabled" && status !== "Suspended") throw new S3Error("IllegalVersioningConfigurationException");
  await deps.domain.buckets.setVersioning(caller, bucket, status === "Enabled" ? "enabled" : "suspended");
  return {};
}
