import { setImmediate as nextTurn } from "node:timers/promises";
import { lastAuditSeq } from "#domain/audit/index.ts";
import { isoFromMs } from "#kernel/time.ts";
import { usageRows } from "#domain/quotas/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { RecordSource } from "#stores/telemetry/index.ts";
import { filesAfter, newestFile, type FileRow } from "./store.ts";

const PAGE = 500;

/**
 * Exports the files of an organization as rows of the table `files`. The version shows every change: the audit log has
 * each deletion, each upload raises the counters, and the newest file is included.
 */
export function fileRecords({ metadata }: { readonly metadata: MetadataStore }): RecordSource {
  const { read } = metadata;
  return {
    generation: async (orgId) => {
      const usage = await usageRows(read, "files", { org_id: orgId });
      const [files, bytes] = [sumOf(usage.map((row) => row.files)), sumOf(usage.map((row) => row.bytes))];
      return `${await lastAuditSeq(read, orgId)} ${files} ${bytes} ${await newestFile(read, orgId)}`;
    },
    rowsAfter: async function* (orgId, mark) {
      if (mark > 0 && mark >= sumOf((await usageRows(read, "files", { org_id: orgId })).map((row) => row.files)))
        return;
      let last: FileRow | undefined;
      for (let n = 0; ;) {
        const page = await filesAfter(read, orgId, last, PAGE);
        for (const row of page) if (++n > mark) yield { mark: n, row: () => recordOf(row) };
        last = page.at(-1);
        if (page.length < PAGE) return;
        await nextTurn();
      }
    },
  };
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0);

function recordOf(row: FileRow) {
  const { id, project_id, filename, content_type, size, sha256, created_by } = row;
  return {
    timestamp: isoFromMs(row.created_at),
    id,
    project_id,
    filename,
    content_type,
    size_bytes: size,
    sha256,
    created_by,
  };
}
