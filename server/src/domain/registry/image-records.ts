import { setImmediate as nextTurn } from "node:timers/promises";
import { lastAuditSeq } from "#domain/audit/index.ts";
import { isoFromMs } from "#kernel/time.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { RecordSource } from "#stores/telemetry/index.ts";
import { imageRows, manifestCount, pullCount, type ImageRow } from "./image-records-store.ts";
import { nameOf } from "./types.ts";

const PAGE = 500;

/**
 * Exports the manifests of an organization as rows of the table `images`. The version shows every change: the audit log
 * has pushes, deletions and changes of repositories. The number of pulls and the number of manifests are included,
 * because the log has no pulls and no collections.
 */
export function imageRecords({ metadata }: { readonly metadata: MetadataStore }): RecordSource {
  const { read } = metadata;
  return {
    generation: async (orgId) =>
      `${await lastAuditSeq(read, orgId)} ${await pullCount(read, orgId)} ${await manifestCount(read, orgId)}`,
    rowsAfter: async function* (orgId, mark) {
      if (mark > 0 && mark >= (await manifestCount(read, orgId))) return;
      let place: ImageRow | undefined;
      for (let n = 0; ;) {
        const page = await imageRows(read, orgId, place, PAGE);
        for (const row of page) if (++n > mark) yield { mark: n, row: () => recordOf(row) };
        place = page.at(-1);
        if (page.length < PAGE) return;
        await nextTurn();
      }
    },
  };
}

function recordOf(row: ImageRow) {
  const { digest, project_id, tags, media_type, artifact_type, subject, created_by, pulls } = row;
  return {
    timestamp: isoFromMs(row.created_at),
    repository: nameOf({ orgSlug: row.org_slug, appSlug: row.app_slug }),
    project_id,
    digest,
    tags: JSON.stringify(tags),
    media_type,
    artifact_type,
    subject,
    annotations: row.annotations,
    size_bytes: row.size + row.named_bytes,
    created_by,
    pulls,
    last_pull_at: row.last_pull_at === null ? null : isoFromMs(row.last_pull_at),
  };
}
