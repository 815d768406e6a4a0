import type { Answer, Context } from "../context.ts";
import { ownersAcl } from "../wire/acl.ts";
import { versionField } from "../wire/object-fields.ts";
import { aclDocument, aclOfRequest } from "./bucket-acl.ts";

export async function getObjectAcl(context: Context): Promise<Answer> {
  const { deps, bucket, key, versionId } = context;
  const version = await deps.domain.objects.head(bucket, { key, versionId });
  const body = await aclDocument(context, version.acl ?? ownersAcl(version.owner));
  return { headers: versionField(bucket, version.versionId), body };
}

export async function putObjectAcl(context: Context): Promise<Answer> {
  const { deps, caller, bucket, key, versionId } = context;
  const { owner } = await deps.domain.objects.head(bucket, { key, versionId });
  const acl = await aclOfRequest(context, owner);
  await deps.domain.buckets.requireReached(bucket, acl);
  const version = await deps.domain.objects.setAcl(caller, bucket, { key, versionId }, acl);
  return { headers: versionField(bucket, version.versionId) };
}
