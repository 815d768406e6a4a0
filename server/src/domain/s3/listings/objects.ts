import { decodeCursor, encodeCursor } from "#kernel/cursor.ts";
import { Problem } from "#kernel/problem.ts";
import type { S3Deps } from "../deps.ts";
import { S3Error } from "../errors.ts";
import { keyText, ownerOf } from "../objects/detail.ts";
import type { Bucket, Checksum, ListedObject, ListQuery, ObjectPage } from "../types/index.ts";
import { commonPrefixOf, rangeOf } from "./range.ts";
import { objectsIn, objectsOf, stepsIn, type ListedRow } from "./store.ts";

type Deps = Pick<S3Deps, "metadata">;

const EMPTY: ObjectPage = { objects: [], prefixes: [], nextMarker: null, nextToken: null };

export async function listObjects(
  deps: Deps,
  bucket: Bucket,
  query: ListQuery & { readonly after?: string; readonly token?: string },
): Promise<ObjectPage> {
  const { prefix, delimiter, max } = query;
  const after = query.token === undefined ? (query.after ?? "") : markerOf(bucket, query, query.token);
  if (max <= 0) return EMPTY;
  const range = rangeOf({ prefix, delimiter, after });
  const { metadata } = deps;
  if (delimiter === "") {
    const rows = await objectsIn(metadata.read, bucket.id, range, max + 1);
    const objects = rows.slice(0, max).map((row) => listedOf(row, bucket));
    return { objects, prefixes: [], ...nextOf(bucket, query, rows.length > max ? objects.at(-1)?.key : undefined) };
  }
  const steps = await stepsIn(metadata.read, metadata.dialect, bucket.id, {
    prefix,
    delimiter,
    range,
    limit: max + 1,
    tables: ["s3_object"],
  });
  return pageOfSteps(deps, bucket, query, steps);
}

async function pageOfSteps(
  deps: Deps,
  bucket: Bucket,
  query: ListQuery,
  steps: readonly Uint8Array[],
): Promise<ObjectPage> {
  const { prefix, delimiter, max } = query;
  const names = steps.slice(0, max).map((bytes) => {
    const key = keyText(bytes);
    return { bytes, key, common: commonPrefixOf(key, prefix, delimiter) };
  });
  const plain = names.filter(({ common }) => common === undefined);
  const rows = await objectsOf(
    deps.metadata.read,
    bucket.id,
    plain.map(({ bytes }) => bytes),
  );
  const byKey = new Map(rows.map((row) => [keyText(row.key), row]));
  // An object that is deleted between the two statements is left out.
  const objects = plain.flatMap(({ key }) => byKey.get(key) ?? []).map((row) => listedOf(row, bucket));
  const prefixes = names.flatMap(({ common }) => common ?? []);
  const last = names.at(-1);
  return { objects, prefixes, ...nextOf(bucket, query, steps.length > max ? (last?.common ?? last?.key) : undefined) };
}

function nextOf(
  bucket: Bucket,
  { prefix, delimiter }: ListQuery,
  marker: string | undefined,
): Pick<ObjectPage, "nextMarker" | "nextToken"> {
  if (marker === undefined) return { nextMarker: null, nextToken: null };
  return { nextMarker: marker, nextToken: encodeCursor([bucket.id, prefix, delimiter, marker]) };
}

/** @throws S3Error `InvalidArgument` for a token of another list */
function markerOf(bucket: Bucket, { prefix, delimiter }: ListQuery, token: string): string {
  const refused = new S3Error("InvalidArgument", "The continuation token provided is incorrect", {
    fields: { ArgumentName: "continuation-token" },
  });
  try {
    const [id, ofPrefix, ofDelimiter, marker] = decodeCursor(token, ["string", "string", "string", "string"]);
    if (id === bucket.id && ofPrefix === prefix && ofDelimiter === delimiter) return marker;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
  }
  throw refused;
}

export function listedOf(row: ListedRow, bucket: Bucket): ListedObject {
  return {
    key: keyText(row.key),
    size: row.size,
    etag: row.etag,
    modifiedAtMs: row.modified_at,
    owner: ownerOf(row.owner, bucket.owner),
    ...checksumIn(row.detail),
  };
}

/** Matches only the member itself: in a client's text, JSON escapes the quotation marks. */
const CHECKSUM = /"checksum":\{"algorithm":"([A-Z0-9]+)","type":"([A-Z_]+)"/;

function checksumIn(detail: string): Pick<ListedObject, "checksumAlgorithm" | "checksumType"> {
  const [, algorithm, type] = CHECKSUM.exec(detail) ?? [];
  return {
    checksumAlgorithm: (algorithm as Checksum["algorithm"] | undefined) ?? null,
    checksumType: (type as Checksum["type"] | undefined) ?? null,
  };
}
