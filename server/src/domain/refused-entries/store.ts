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
export interface RefusedSum extends Omit<RefusedRow, "org_id" | "hour"> {
  /** JSON, of the newest hour that has samples. */
  readonly samples: string;
  /** The entries of all sums, also of those that are not returned. */
  readonly total: number;
}

const KEY = ["sender_kind", "sender_id", "project_id", "protocol", "type", "reason"] as const;

/** Returns the sums over the hours, most entries first. */
export async function refusedSums(
  db: Reader,
  orgId: string,
  { limit, ...filter }: RefusedFilter & { readonly limit: number },
): Promise<RefusedSum[]> {
  const sums = await filtered(db, orgId, filter)
    .select(KEY)
    .select(({ fn }) => [
      fn.sum<number | string>("entries").as("entries"),
      fn.sum<number | string>("requests").as("requests"),
      fn.max("last_at").as("last_at"),
      sql<number | null>`max(case when samples <> '[]' then hour end)`.as("hour"),
      sql<number | string>`sum(sum(entries)) over ()`.as("total"),
    ])
    .groupBy(KEY)
    .orderBy("entries", "desc")
    .orderBy("requests", "desc")
    .limit(limit)
    .execute();
  const samples = await samplesOf(db, orgId, sums);
  return sums.map(({ hour, ...sum }) => ({
    ...sum,
    // PostgreSQL returns sums as text.
    entries: Number(sum.entries),
    requests: Number(sum.requests),
    total: Number(sum.total),
    samples: samples.get(keyOf({ hour: hour ?? 0, ...sum })) ?? "[]",
  }));
}

function filtered(db: Reader, orgId: string, { fromHour, projectId, senderId, reason, visible }: RefusedFilter) {
  return db
    .selectFrom("refused_entries")
    .where("org_id", "=", orgId)
    .where("hour", ">=", fromHour)
    .$if(senderId !== undefined, (query) => query.where("sender_id", "=", senderId ?? ""))
    .$if(reason !== undefined, (query) => query.where("reason", "=", reason ?? ""))
    .$if(projectId !== undefined, (query) => query.where("project_id", "=", projectId ?? ""))
    .$if(visible !== "all", (query) => query.where("project_id", "in", visibleIn(visible)));
}

/** Returns the projects whose senders are visible; the empty text is none. A caller that is limited to resources sees none. */
function visibleIn(visible: VisibleRows): string[] {
  if (visible === "all" || visible.limits !== undefined) return [];
  return visible.unassigned ? ["", ...visible.projectIds] : [...visible.projectIds];
}

type Place = Pick<RefusedRow, (typeof KEY)[number] | "hour">;

function keyOf(place: Place): string {
  return JSON.stringify([place.hour, ...KEY.map((name) => place[name])]);
}

/** Reads the samples of these hours, by `keyOf`. */
async function samplesOf(
  db: Reader,
  orgId: string,
  sums: readonly (Omit<Place, "hour"> & { readonly hour: number | null })[],
): Promise<ReadonlyMap<string, string>> {
  const sampled = sums.filter(({ hour }) => hour !== null);
  if (sampled.length === 0) return new Map();
  const rows = await db
    .selectFrom("refused_entries")
    .select([...KEY, "hour", "samples"])
    .where("org_id", "=", orgId)
    .where("hour", "in", [...new Set(sampled.map(({ hour }) => hour ?? 0))])
    .where("sender_id", "in", [...new Set(sampled.map(({ sender_id: id }) => id))])
    .execute();
  return new Map(rows.map(({ samples, ...place }) => [keyOf(place), samples]));
}
