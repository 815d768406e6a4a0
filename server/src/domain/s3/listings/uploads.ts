import type { S3Deps } from "../deps.ts";
import { keyBytes, keyText } from "../objects/detail.ts";
import { uploadOf } from "../uploads/view.ts";
import type { Bucket, ListQuery, Upload, UploadPage } from "../types/index.ts";
import { commonPrefixOf, rangeOf, successor, type KeyRange } from "./range.ts";
import { uploadsIn } from "./store.ts";

const PAGE = 1000;

type Query = ListQuery & { readonly keyMarker?: string; readonly uploadIdMarker?: string };

/** In the order of keys, and of a key in the order in which they began. */
export async function listUploads(deps: Pick<S3Deps, "metadata">, bucket: Bucket, query: Query): Promise<UploadPage> {
  const { prefix, delimiter, max, keyMarker = "", uploadIdMarker = "" } = query;
  const uploads: Upload[] = [];
  const prefixes: string[] = [];
  let next: UploadPage["next"] = null;
  let afterId = keyMarker === "" ? "" : uploadIdMarker;
  const behind = rangeOf({ prefix, delimiter, after: keyMarker });
  let range: KeyRange = afterId === "" ? behind : { ...behind, start: keyBytes(keyMarker) };
  if (max <= 0) return { uploads, prefixes, next };
  for (;;) {
    const rows = await uploadsIn(deps.metadata.read, bucket.id, range, { afterId, limit: PAGE });
    for (const row of rows) {
      const key = keyText(row.key);
      const common = commonPrefixOf(key, prefix, delimiter);
      if (common !== undefined && common === prefixes.at(-1)) continue;
      if (uploads.length + prefixes.length === max) return { uploads, prefixes, next };
      if (common === undefined) uploads.push(uploadOf(row, bucket));
      else prefixes.push(common);
      next = { keyMarker: common ?? key, uploadIdMarker: common === undefined ? row.id : "" };
    }
    const last = rows.at(-1);
    if (rows.length < PAGE || last === undefined) return { uploads, prefixes, next: null };
    const common = commonPrefixOf(keyText(last.key), prefix, delimiter);
    // What the last prefix stands for is not looked at any more.
    const start = common === undefined ? last.key : (successor(keyBytes(common)) ?? last.key);
    afterId = common === undefined ? last.id : "";
    range = { ...range, start };
  }
}
