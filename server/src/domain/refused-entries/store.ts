import { sql } from "kysely";
import type { Cutoff } from "#kernel/deletions.ts";
import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";
import type { VisibleRows } from "#stores/telemetry/index.ts";

export type RefusedRow = Tables["refused_entries"];

/** Adds to the stored counts. The samples replace the stored ones, if there are any. */
export function addRefused(tx: Writer, rows: readonly RefusedRow[]): void {
  tx.defer(
    tx
      .insertInto("refused_entries")
      .values([...rows])
      .onConflict((on) =>
        on.columns(["org_id", "hour", "sender_id", "project_id", "protocol", "type", "reason"]).doUpdateSet({
          entries: sql`refused_entries.entries + excluded.entries`,
          requests: sql`refused_entries.requests + excluded.requests`,
          last_at: sql`case when excluded.last_at > refused_entries.last_at then excluded.last_at else refused_entries.last_at end`,
          samples: sql`case when excluded.samples = '[]' then refused_entries.samples else excluded.samples end`,
        }),
      ),
  );
}

/** Deletes counts from before this hour. */
export async function deleteRefused(tx: Writer, before: Cutoff): Promise<void> {
  await tx.deleteFrom("refused_entries").where("hour", "<", before).execute();
}

export interface RefusedFilter {
  readonly fromHour: number;
  readonly projectId?: string | undefined;
  readonly senderId?: string | undefined;
  readonly reason?: string | undefined;
  readonly visible: VisibleRows;
}

/** The counts of one sender and reason over several hours. */
export interface RefusedSum extends Omit<RefusedRow, "org_id" | "hour" | "samples"> {
  /** JSON, of the newest hour that has samples. */
  readonly samples: string;
}

/** Returns the sums over the hours, most entries first. */
export async function refusedSums(db: Reader, orgId: string, filter: RefusedFilter): Promise<RefusedSum[]> {
  const { fromHour, projectId, senderId, reason, visible } = filter;
  const rows = await db
    .selectFrom("refused_entries")
    .selectAll()
    .where("org_id", "=", orgId)
    .where("hour", ">=", fromHour)
    .$if(senderId !== undefined, (query) => query.where("sender_id", "=", senderId ?? ""))
    .orderBy("hour", "asc")
    .execute();
  const sums = new Map<string, RefusedSum>();
  for (const row of rows) {
    if (!isVisible(visible, row.project_id)) continue;
    if (projectId !== undefined && row.project_id !== projectId) continue;
    if (reason !== undefined && row.reason !== reason) continue;
    addTo(sums, row);
  }
  return [...sums.values()].sort((a, b) => b.entries - a.entries || b.requests - a.requests);
}

function addTo(sums: Map<string, RefusedSum>, { org_id: _org, hour: _hour, ...row }: RefusedRow): void {
  const key = JSON.stringify([row.sender_id, row.project_id, row.protocol, row.type, row.reason]);
  const before = sums.get(key);
  sums.set(key, {
    ...row,
    entries: (before?.entries ?? 0) + row.entries,
    requests: (before?.requests ?? 0) + row.requests,
    last_at: Math.max(before?.last_at ?? 0, row.last_at),
    samples: row.samples === "[]" ? (before?.samples ?? "[]") : row.samples,
  });
}

function isVisible(visible: VisibleRows, projectId: string): boolean {
  if (visible === "all") return true;
  if (visible.limits !== undefined) return false;
  return projectId === "" ? visible.unassigned : visible.projectIds.includes(projectId);
}
