import { setImmediate as nextTurn } from "node:timers/promises";
import { isoFromMs } from "#kernel/time.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { RecordSource } from "#stores/telemetry/index.ts";
import { bucketById } from "./buckets/store.ts";
import { rangeOf } from "./listings/range.ts";
import { versionsIn, type ListedRow } from "./listings/store.ts";
import { detailOf, keyText } from "./objects/detail.ts";
import { statesOfBuckets } from "./objects/store.ts";

const PAGE = 500;
const EVERYTHING = rangeOf({ prefix: "", delimiter: "", after: "" });

/**
 * Provides the versions of an organization's objects as rows of the table `objects`. Each bucket is one part, which is
 * read again as a whole after a write. The number of its writes shows a change, because every transaction that changes
 * a version raises it.
 */
export function objectRecords({ metadata }: { readonly metadata: MetadataStore }): RecordSource {
  const { read } = metadata;
  return {
    parts: (orgId) => statesOfBuckets(read, orgId),
    rowsAfter: async function* (orgId, mark, part = "") {
      const bucket = await bucketById(read, part);
      if (bucket?.org_id !== orgId) return;
      const place = { bucket: bucket.slug, app_id: bucket.id, project_id: bucket.project_id };
      let range = EVERYTHING;
      let before: ListedRow | undefined;
      for (let n = 0; ;) {
        const page = await versionsIn(read, part, range, { afterSeq: before?.seq ?? null, limit: PAGE });
        for (const row of page) {
          const isLatest = before === undefined || Buffer.compare(before.key, row.key) !== 0;
          before = row;
          if (++n > mark) yield { mark: n, row: () => ({ ...place, ...recordOf(row, isLatest) }) };
        }
        if (page.length < PAGE || before === undefined) return;
        range = { ...range, start: before.key };
        await nextTurn();
      }
    },
  };
}

function recordOf(row: ListedRow, isLatest: boolean) {
  const { headers, checksum, sse } = detailOf(row);
  return {
    timestamp: isoFromMs(row.modified_at),
    key: keyText(row.key),
    size_bytes: row.size,
    etag: row.blob_id === null ? null : row.etag,
    content_type: headers?.contentType ?? null,
    checksum: checksum === undefined ? null : `${checksum.algorithm}:${checksum.value}`,
    encryption: sse?.kind ?? null,
    version_id: row.version_id,
    is_latest: isLatest,
    is_delete_marker: row.blob_id === null,
  };
}
