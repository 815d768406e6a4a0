import { readSmallBody } from "../body.ts";
import type { Answer, Context } from "../context.ts";
import { versionField } from "../wire/object-fields.ts";
import { OBJECT_TAGS_MAX, tagElements, tagsOfDocument } from "../wire/tags.ts";
import { parseDocument, renderDocument } from "../wire/xml.ts";

const BODY_BYTES_MAX = 64 * 1024;

export async function getObjectTagging({ deps, bucket, key, versionId }: Context): Promise<Answer> {
  const version = await deps.domain.objects.head(bucket, { key, versionId });
  return {
    headers: versionField(bucket, version.versionId),
    body: renderDocument("Tagging", tagElements(version.tags)),
  };
}

export async function putObjectTagging(context: Context): Promise<Answer> {
  const { deps, caller, bucket, key, versionId } = context;
  const root = parseDocument(await readSmallBody(context, BODY_BYTES_MAX), "Tagging");
  const tags = tagsOfDocument(root, OBJECT_TAGS_MAX);
  const version = await deps.domain.objects.setTags(caller, bucket, { key, versionId }, tags);
  return { headers: versionField(bucket, version.versionId) };
}

export async function deleteObjectTagging({ deps, caller, bucket, key, versionId }: Context): Promise<Answer> {
  const version = await deps.domain.objects.setTags(caller, bucket, { key, versionId }, {});
  return { status: 204, headers: versionField(bucket, version.versionId) };
}
