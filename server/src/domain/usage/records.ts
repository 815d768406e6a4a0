import { isoFromMs } from "#kernel/time.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { RecordSource } from "#stores/telemetry/index.ts";
import { usageStates, usageSums, type UsageKey, type UsageSum } from "./store.ts";

const PAGE = 1000;
const BY = ["project_id", "credential_id", "service"] as const;

/** Exports the usage of an organization as rows of the table `usage_daily`. Each day is one part, because only the last ones change. */
export function usageRecords({ metadata }: { readonly metadata: MetadataStore }): RecordSource {
  const { read } = metadata;
  return {
    parts: (orgId) => usageStates(read, orgId),
    rowsAfter: async function* (orgId, mark, part = "0") {
      const [fromDay, toDay] = [Number(part), Number(part)];
      let after: UsageKey | undefined;
      for (let n = 0; ;) {
        const page = await usageSums(read, orgId, { fromDay, toDay }, { by: BY, after, limit: PAGE });
        for (const row of page) if (++n > mark) yield { mark: n, row: () => recordOf(row) };
        const last = page.at(-1);
        if (last === undefined || page.length < PAGE) return;
        after = [last.day, last.project_id, last.credential_id, last.service];
      }
    },
  };
}

function recordOf({ day, project_id, credential_id, ...rest }: UsageSum) {
  return {
    timestamp: isoFromMs(day),
    project_id: project_id === "" ? null : project_id,
    credential_id: credential_id === "" ? null : credential_id,
    ...rest,
  };
}
