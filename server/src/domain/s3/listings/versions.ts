import type { Reader } from "#stores/metadata/index.ts";
import type { S3Deps } from "../deps.ts";
import { S3Error } from "../errors.ts";
import { keyBytes, keyText } from "../objects/detail.ts";
import { locate } from "../objects/find.ts";
import type { Bucket, ListedVersion, ListQuery, VersionPage } from "../types/index.ts";
import { listedOf } from "./objects.ts";
import { commonPrefixOf, rangeOf, rangesOfKeys, type KeyRange } from "./range.ts";
import { stepsIn, versionsIn, type ListedRow } from "./store.ts";

type Deps = Pick<S3Deps, "metadata">;
type Query = ListQuery & { readonly keyMarker?: string; readonly versionIdMarker?: string };

export async function listVersions(deps: Deps, bucket: Bucket, query: Query): Promise<VersionPage> {
  const { max, delimiter } = query;
  const position = await positionOf(deps.metadata.read, bucket, query);
  if (max <= 0) return { versions: [], prefixes: [], next: null };
  if (delimiter !== "") return byDelimiter(deps, bucket, query, position);
  const { range, afterSeq } = position;
  const rows = await versionsIn(deps.metadata.read, bucket.id, range, { afterSeq, limit: max + 1 });
  const versions = versionsFrom(rows, bucket, position).slice(0, max);
  return { versions, prefixes: [], next: rows.length > max ? nextOf(versions.at(-1)) : null };
}

interface Position {
  readonly range: KeyRange;
  /** The list continues within the first key, after this number. */
  readonly afterSeq: number | null;
}

async function positionOf(db: Reader, bucket: Bucket, query: Query): Promise<Position> {
  const { prefix, delimiter, keyMarker = "", versionIdMarker } = query;
  const following = rangeOf({ prefix, delimiter, after: keyMarker });
  if (versionIdMarker === undefined || versionIdMarker === "") return { range: following, afterSeq: null };
  if (keyMarker === "")
    throw new S3Error("InvalidArgument", "A version-id marker cannot be specified without a key marker.");
  const found = await locate(db, bucket, { key: keyMarker, versionId: versionIdMarker });
  if (found === undefined || !keyMarker.startsWith(prefix)) return { range: following, afterSeq: null };
  return { range: { ...following, start: keyBytes(keyMarker) }, afterSeq: found.row.seq };
}

/** When the newest version of a key is a delete marker, it is also the current version. */
function versionsFrom(rows: readonly ListedRow[], bucket: Bucket, { range, afterSeq }: Position): ListedVersion[] {
  return rows.map((row, i) => {
    const before = rows[i - 1];
    const isFirst = before === undefined || Buffer.compare(before.key, row.key) !== 0;
    const isWithin = afterSeq !== null && Buffer.compare(row.key, range.start) === 0;
    return {
      ...listedOf(row, bucket),
      versionId: row.version_id,
      isLatest: isFirst && !isWithin,
      isDeleteMarker: row.blob_id === null,
    };
  });
}

function nextOf(last: ListedVersion | undefined): VersionPage["next"] {
  return last === undefined ? null : { keyMarker: last.key, versionIdMarker: last.versionId };
}

async function byDelimiter(deps: Deps, bucket: Bucket, query: Query, position: Position): Promise<VersionPage> {
  const { prefix, delimiter, max } = query;
  const { metadata } = deps;
  const { range } = position;
  const tables = ["s3_object", "s3_history"] as const;
  const limit = max + 2; // The first key may have no more versions after the marker.
  const steps = await stepsIn(metadata.read, metadata.dialect, bucket.id, {
    prefix,
    delimiter,
    range,
    limit,
    tables,
  });
  const rows = await versionsAt(metadata.read, bucket, query, { steps, position });
  return merge(query, steps, versionsFrom(rows, bucket, position), steps.length === limit || rows.length > max);
}

/** Reads the versions of the keys among the steps, in order, and at most one more than the page has room for. */
async function versionsAt(
  db: Reader,
  bucket: Bucket,
  { prefix, delimiter, max }: Query,
  { steps, position }: { readonly steps: readonly Uint8Array[]; readonly position: Position },
): Promise<ListedRow[]> {
  const rows: ListedRow[] = [];
  for (const range of rangesOfKeys(steps, prefix, delimiter)) {
    const isWithin = Buffer.compare(range.start, position.range.start) === 0;
    const page = { afterSeq: isWithin ? position.afterSeq : null, limit: max + 1 - rows.length };
    rows.push(...(await versionsIn(db, bucket.id, range, page)));
    if (rows.length > max) break;
  }
  return rows;
}

/** Merges prefixes and versions in order, up to the size of the page. */
function merge(
  { prefix, delimiter, max }: Query,
  steps: readonly Uint8Array[],
  all: readonly ListedVersion[],
  isCut: boolean,
): VersionPage {
  const versions: ListedVersion[] = [];
  const prefixes: string[] = [];
  const byKey = Map.groupBy(all, ({ key }) => key);
  let next: VersionPage["next"] = null;
  for (const bytes of steps) {
    const key = keyText(bytes);
    const common = commonPrefixOf(key, prefix, delimiter);
    const entries = common === undefined ? (byKey.get(key) ?? []) : [common];
    for (const entry of entries) {
      if (versions.length + prefixes.length === max) return { versions, prefixes, next };
      if (typeof entry === "string") prefixes.push(entry);
      else versions.push(entry);
      next = typeof entry === "string" ? { keyMarker: entry, versionIdMarker: "" } : nextOf(entry);
    }
  }
  return { versions, prefixes, next: isCut ? next : null };
}
