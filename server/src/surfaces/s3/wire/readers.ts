import type { CompletedPart, PartList } from "#domain/s3/index.ts";
import { partList } from "#domain/s3/part-list/index.ts";
import { unquoted } from "./etag.ts";
import {
  booleanIn,
  childrenOf,
  numberIn,
  parseDocument,
  requiredText,
  textIn,
  XmlFault,
  type Element,
} from "./xml-tree.ts";

/** Parsers of documents. They return plain data, since they may run in another thread. */
export const readers = {
  deletion: readDeletion,
  completion: readCompletion,
  lifecycle: (bytes: Uint8Array): Element => parseDocument(bytes, "LifecycleConfiguration", LIFECYCLE_ELEMENTS_MAX),
} as const;

export type ReaderName = keyof typeof readers;
export type Read<N extends ReaderName> = ReturnType<(typeof readers)[N]>;

const OBJECTS_MAX = 1000;
const PARTS_MAX = 10_000;
/** Each object has at most a key, a version and three conditions, so 8 is more than enough. */
const DELETION_ELEMENTS_MAX = OBJECTS_MAX * 8;
/** Each part has a number, a tag and a checksum. */
const COMPLETION_ELEMENTS_MAX = PARTS_MAX * 5;
const LIFECYCLE_ELEMENTS_MAX = 20_000;

/** An object to delete, as the document names it. */
export interface NamedObject {
  readonly key: string;
  readonly versionId?: string;
  readonly etag?: string;
  readonly size?: string;
  readonly time?: string;
}

function readDeletion(bytes: Uint8Array): { readonly isQuiet: boolean; readonly objects: readonly NamedObject[] } {
  const root = parseDocument(bytes, "Delete", DELETION_ELEMENTS_MAX);
  const objects = childrenOf(root, "Object");
  if (objects.length === 0 || objects.length > OBJECTS_MAX)
    throw new XmlFault(`From 1 to ${OBJECTS_MAX} objects can be deleted at once.`);
  return { isQuiet: booleanIn(root, "Quiet") === true, objects: objects.map(namedObject) };
}

function namedObject(element: Element): NamedObject {
  const [versionId, etag] = [textIn(element, "VersionId"), textIn(element, "ETag")];
  const [size, time] = [textIn(element, "Size"), textIn(element, "LastModifiedTime")];
  return {
    key: requiredText(element, "Key"),
    ...(versionId === undefined || versionId === "" ? {} : { versionId }),
    ...(etag === undefined ? {} : { etag }),
    ...(size === undefined ? {} : { size }),
    ...(time === undefined ? {} : { time }),
  };
}

const CHECKSUMS: ReadonlySet<string> = new Set(
  ["CRC32", "CRC32C", "CRC64NVME", "SHA1", "SHA256"].map((name) => `Checksum${name}`),
);

function readCompletion(bytes: Uint8Array): PartList {
  const parts = childrenOf(parseDocument(bytes, "CompleteMultipartUpload", COMPLETION_ELEMENTS_MAX), "Part");
  if (parts.length === 0 || parts.length > PARTS_MAX)
    throw new XmlFault(`An upload must have from 1 to ${PARTS_MAX} parts.`);
  return partList(parts.map(namedPart));
}

function namedPart(element: Element): CompletedPart {
  const number = numberIn(element, "PartNumber");
  if (number === undefined) throw new XmlFault("PartNumber is missing.");
  const checksum = element.children.find(({ name }) => CHECKSUMS.has(name))?.text.trim();
  const etag = unquoted(requiredText(element, "ETag"));
  return { number, etag, ...(checksum === undefined ? {} : { checksum }) };
}
