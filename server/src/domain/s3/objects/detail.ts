import { parseJson } from "#kernel/json-names.ts";
import type { Tables } from "#stores/metadata/index.ts";
import type {
  Acl,
  Bucket,
  Checksum,
  ContentHeaders,
  ObjectPart,
  ObjectVersion,
  WrittenVersion,
  Retention,
  S3Owner,
  SseInfo,
  Tags,
} from "../types/index.ts";

/** The part of a row that is stored as JSON. No statement searches it. */
export interface Detail {
  readonly headers?: ContentHeaders;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly acl?: Acl;
  readonly checksum?: Checksum;
  readonly sse?: SseInfo;
  readonly retention?: Retention;
  readonly legalHold?: true;
}

export type ObjectRow = Tables["s3_object"];
export type HistoryRow = Tables["s3_history"];

export function keyBytes(key: string): Uint8Array {
  return Buffer.from(key, "utf8");
}

export function keyText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}

/** Returns the column for the owner. It is empty for the bucket's owner, which saves space in most rows. */
export function ownerColumn(owner: S3Owner, bucketOwner: S3Owner): string {
  return owner.id === bucketOwner.id ? "" : `${owner.id} ${owner.displayName}`;
}

export function ownerOf(column: string, bucketOwner: S3Owner): S3Owner {
  if (column === "") return bucketOwner;
  const space = column.indexOf(" ");
  return { id: column.slice(0, space), displayName: column.slice(space + 1) };
}

export function detailOf(row: { readonly detail: string }): Detail {
  return JSON.parse(row.detail) as Detail;
}

export function tagsOf(row: { readonly tags: string }): Tags {
  return row.tags === "" ? {} : (parseJson(row.tags) as Tags);
}

export function tagsColumn(tags: Tags): string {
  return Object.keys(tags).length === 0 ? "" : JSON.stringify(tags);
}

/** Leaves out empty members. */
export function detailColumn(detail: { readonly [K in keyof Detail]?: Detail[K] | null | undefined | false }): string {
  const kept = Object.entries(detail).filter(
    ([, value]) => value !== null && value !== undefined && value !== false && !isEmpty(value),
  );
  return JSON.stringify(Object.fromEntries(kept));
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
}

type VersionRow = Omit<ObjectRow, "blob_id"> & { readonly blob_id: string };

export function versionOf(row: VersionRow, bucket: Pick<Bucket, "owner">, isLatest: boolean): ObjectVersion {
  return {
    ...writtenOf(row, bucket, isLatest),
    parts: row.parts === null ? null : (JSON.parse(row.parts) as ObjectPart[]),
  };
}

export function writtenOf(row: VersionRow, bucket: Pick<Bucket, "owner">, isLatest: boolean): WrittenVersion {
  const { headers = {}, metadata = {}, acl, checksum, sse, retention, legalHold = false } = detailOf(row);
  return {
    key: keyText(row.key),
    versionId: row.version_id,
    isLatest,
    blobId: row.blob_id,
    size: row.size,
    etag: row.etag,
    modifiedAtMs: row.modified_at,
    headers,
    metadata,
    tags: tagsOf(row),
    owner: ownerOf(row.owner, bucket.owner),
    acl: acl ?? null,
    checksum: checksum ?? null,
    sse: sse ?? null,
    retention: retention ?? null,
    legalHold,
  };
}
