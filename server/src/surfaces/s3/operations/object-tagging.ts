import type { Tags } from "#domain/s3/index.ts";
import { readSmallBody } from "../body.ts";
import { tagValues, type Answer, type Context } from "../context.ts";
import { versionField } from "../wire/object-fields.ts";
import { OBJECT_TAGS_MAX, tagElements, tagsOfDocument } from "../wire/tags.ts";
import { renderDocument } from "../wire/xml.ts";
import { parseDocument } from "../wire/xml-tree.ts";

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
  await requireTags(context, versionId === undefined ? "s3:PutObjectTagging" : "s3:PutObjectVersionTagging", tags);
  const version = await deps.domain.objects.setTags(caller, bucket, { key, versionId }, tags);
  return { headers: versionField(bucket, version.versionId) };
}

/** Policies may ask for the tags themselves, which only the body tells. @throws S3Error `AccessDenied` */
export async function requireTags(context: Context, action: string, tags: Tags): Promise<void> {
  const values = { ...context.conditions.values, ...tagValues(Object.entries(tags)) };
  await context.require(action, { values });
}

export async function deleteObjectTagging({ deps, caller, bucket, key, versionId }: Context): Promise<Answer> {
  const version = await deps.domain.objects.setTags(caller, bucket, { key, versionId }, {});
  return { status: 204, headers: versionField(bucket, version.versionId) };
}
