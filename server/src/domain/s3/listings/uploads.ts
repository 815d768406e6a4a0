import type { S3Deps } from "../deps.ts";
import { keyBytes, keyText } from "../objects/detail.ts";
import { uploadOf } from "../uploads/view.ts";
import type { Bucket, ListQuery, Upload, UploadPage } from "../types/index.ts";
import { commonPrefixOf, rangeOf, rangesOfKeys, type KeyRange } from "./range.ts";
import { stepsIn, uploadsIn, type UploadRow } from "./store.ts";

type Deps = Pick<S3Deps, "metadata">;
type Query = ListQuery & { readonly keyMarker?: string; readonly uploadIdMarker?: string };

/**
 * The position where a list continues: within the first key of the range, after this upload. Empty: at the beginning of
 * the range.
 */
interface Position {
  readonly range: KeyRange;
  readonly afterId: string;
}

/** Lists uploads by key, then by the time when they began. */
export async function listUploads(deps: Deps, bucket: Bucket, query: Query): Promise<UploadPage> {
  const { delimiter, max } = query;
  if (max <= 0) return { uploads: [], prefixes: [], next: null };
  const position = positionOf(query);
  if (delimiter !== "") return byDelimiter(deps, bucket, query, position);
  const { range, afterId } = position;
  const rows = await uploadsIn(deps.metadata.read, bucket.id, range, { afterId, limit: max + 1 });
  const uploads = rows.slice(0, max).map((row) => uploadOf(row, bucket));
  return { uploads, prefixes: [], next: rows.length > max ? nextOf(uploads.at(-1)) : null };
}

function positionOf({ prefix, delimiter, keyMarker = "", uploadIdMarker = "" }: Query): Position {
  const following = rangeOf({ prefix, delimiter, after: keyMarker });
  const isWithin = keyMarker !== "" && uploadIdMarker !== "" && keyMarker.startsWith(prefix);
  if (!isWithin) return { range: following, afterId: "" };
  return { range: { ...following, start: keyBytes(keyMarker) }, afterId: uploadIdMarker };
}

function nextOf(last: Upload | undefined): UploadPage["next"] {
  return last === undefined ? null : { keyMarker: last.key, uploadIdMarker: last.id };
}

async function byDelimiter(deps: Deps, bucket: Bucket, query: Query, position: Position): Promise<UploadPage> {
  const { prefix, delimiter, max } = query;
  const { metadata } = deps;
  const limit = max + 2; // The first key may have no more uploads after the marker.
  const tables = ["s3_upload"] as const;
  const { range } = position;
  const steps = await stepsIn(metadata.read, metadata.dialect, bucket.id, { prefix, delimiter, range, limit, tables });
  const rows: UploadRow[] = [];
  for (const keys of rangesOfKeys(steps, prefix, delimiter)) {
    const isWithin = Buffer.compare(keys.start, range.start) === 0;
    const page = { afterId: isWithin ? position.afterId : "", limit: max + 1 - rows.length };
    rows.push(...(await uploadsIn(metadata.read, bucket.id, keys, page)));
    if (rows.length > max) break;
  }
  const uploads = rows.map((row) => uploadOf(row, bucket));
  return merge(query, steps, uploads, steps.length === limit || rows.length > max);
}

/** Merges prefixes and uploads in order, up to the size of the page. */
function merge(
  { prefix, delimiter, max }: Query,
  steps: readonly Uint8Array[],
  all: readonly Upload[],
  isCut: boolean,
): UploadPage {
  const uploads: Upload[] = [];
  const prefixes: string[] = [];
  const byKey = Map.groupBy(all, ({ key }) => key);
  let next: UploadPage["next"] = null;
  for (const bytes of steps) {
    const key = keyText(bytes);
    const common = commonPrefixOf(key, prefix, delimiter);
    const entries = common === undefined ? (byKey.get(key) ?? []) : [common];
    for (const entry of entries) {
      if (uploads.length + prefixes.length === max) return { uploads, prefixes, next };
      if (typeof entry === "string") prefixes.push(entry);
      else uploads.push(entry);
      next = typeof entry === "string" ? { keyMarker: entry, uploadIdMarker: "" } : nextOf(entry);
    }
  }
  return { uploads, prefixes, next: isCut ? next : null };
}
