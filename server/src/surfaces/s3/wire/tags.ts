import { decodeForm } from "#kernel/decoding.ts";
import { S3Error, type Tags } from "#domain/s3/index.ts";
import { type Value } from "./xml.ts";
import { childOf, childrenOf, requiredText, type Element } from "./xml-tree.ts";

export const OBJECT_TAGS_MAX = 10;
export const BUCKET_TAGS_MAX = 50;
const NAME_CHARS_MAX = 128;
const VALUE_CHARS_MAX = 256;

/** Parses `x-amz-tagging`, which has the form of a query. @throws S3Error `InvalidArgument`, `InvalidTag` */
export function tagsOfField(text: string | undefined): Tags {
  if (text === undefined || text === "") return {};
  return checkedTags(pairsOf(text), OBJECT_TAGS_MAX);
}

/** @throws S3Error `InvalidArgument` */
export function pairsOf(text: string): [name: string, value: string][] {
  const pairs = decodeForm(text);
  if (pairs === undefined)
    throw new S3Error(
      "InvalidArgument",
      "The header 'x-amz-tagging' shall be encoded as UTF-8 then URLEncoded URL query parameters.",
    );
  return pairs;
}

/**
 * The tags of a `Tagging` document.
 * @throws S3Error `MalformedXML`, `InvalidTag`
 */
export function tagsOfDocument(root: Element, tagsMax: number): Tags {
  const set = childOf(root, "TagSet");
  if (set === undefined) throw new S3Error("MalformedXML", "TagSet is missing.");
  return tagsOfSet(set, tagsMax);
}

export function tagsOfSet(set: Element, tagsMax: number): Tags {
  const pairs = childrenOf(set, "Tag").map((tag): [string, string] => [
    requiredText(tag, "Key"),
    requiredText(tag, "Value"),
  ]);
  return checkedTags(pairs, tagsMax);
}

function checkedTags(pairs: readonly (readonly [string, string])[], tagsMax: number): Tags {
  if (pairs.length > tagsMax)
    throw tagsMax === OBJECT_TAGS_MAX
      ? new S3Error("InvalidTag", `Object tags cannot be greater than ${tagsMax}`)
      : new S3Error("InvalidTag", `There may be ${tagsMax} tags at most.`);
  const tags = new Map<string, string>();
  for (const [name, value] of pairs) {
    if (name === "" || name.length > NAME_CHARS_MAX)
      throw new S3Error("InvalidTag", "The TagKey you have provided is invalid");
    if (value.length > VALUE_CHARS_MAX) throw new S3Error("InvalidTag", "The TagValue you have provided is invalid");
    if (tags.has(name)) throw new S3Error("InvalidTag", "Cannot provide multiple Tags with the same key");
    tags.set(name, value);
  }
  return Object.fromEntries(tags);
}

export function tagElements(tags: Tags): Value {
  return { TagSet: { Tag: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })) } };
}
