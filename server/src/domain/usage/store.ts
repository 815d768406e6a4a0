import { sql, type SqlBool } from "kysely";
import type { Cutoff } from "#kernel/deletions.ts";
import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";
import type { VisibleRows } from "#stores/telemetry/index.ts";

export type UsageRow = Tables["usage_daily"];

/** Adds to the stored rows. No two rows may have the same key. */
export function addUsageRows(tx: Writer, rows: readonly UsageRow[]): void {
  if (rows.length === 0) return;
  tx.defer(
    tx
      .insertInto("usage_daily")
      .values([...rows])
      .onConflict((on) =>
        on.columns(["org_id", "day", "project_id", "credential_id", "service"]).doUpdateSet({
          requests: sql`usage_daily.requests + excluded.requests`,
          refused: sql`usage_daily.refused + excluded.refused`,
          bytes_in: sql`usage_daily.bytes_in + excluded.bytes_in`,
          bytes_out: sql`usage_daily.bytes_out + excluded.bytes_out`,
          bytes_scanned: sql`usage_daily.bytes_scanned + excluded.bytes_scanned`,
        }),
      ),
  );
}

/** The stored bytes of each service, by organization and project. */
const STORED = {
  files: sql`select org_id, place as project_id, sum(bytes + trashed_bytes) as bytes from file_usage group by org_id, place`,
  s3: sql`select u.org_id, coalesce(a.project_id, '') as project_id, sum(u.bytes) as bytes
    from s3_usage as u left join app as a on a.id = u.bucket group by u.org_id, coalesce(a.project_id, '')`,
  registry: sql`select c.org_id, coalesce(a.project_id, '') as project_id, sum(c.bytes) as bytes
    from registry_contents as c left join app as a on a.id = c.repository group by c.org_id, coalesce(a.project_id, '')`,
  webhooks: sql`select u.org_id, coalesce(w.project_id, '') as project_id, sum(u.bytes) as bytes
    from webhook_usage as u left join webhook as w on w.id = u.webhook_id group by u.org_id, coalesce(w.project_id, '')`,
  telemetry: sql`select org_id, '' as project_id, sum(bytes) as bytes from telemetry_file where dropped_at is null group by org_id`,
};

/** Writes the bytes that all organizations store now into the rows of the day. */
export async function measureStored(tx: Writer, day: number): Promise<void> {
  await tx
    .updateTable("usage_daily")
    .set({ bytes_stored: 0 })
    .where("day", "=", day)
    .where("bytes_stored", ">", 0)
    .execute();
  for (const [service, stored] of Object.entries(STORED))
    await sql`
      insert into usage_daily (org_id, day, project_id, credential_id, service, requests, refused, bytes_in, bytes_out,
        bytes_scanned, bytes_stored)
      select s.org_id, ${sql.lit(day)}, s.project_id, '', ${sql.lit(service)}, 0, 0, 0, 0, 0, s.bytes
      from (${stored}) as s where s.bytes > 0
      on conflict (org_id, day, project_id, credential_id, service) do update set bytes_stored = excluded.bytes_stored`.execute(
      tx,
    );
}

/** Deletes at most `limit` rows from before that day. Returns their number. */
export async function deleteUsage(tx: Writer, before: Cutoff, limit: number): Promise<number> {
  const old = tx
    .selectFrom("usage_daily")
    .select(["org_id", "day", "project_id", "credential_id", "service"])
    .where("day", "<", before)
    .limit(limit);
  const deleted = await tx
    .deleteFrom("usage_daily")
    .where((eb) => sql<SqlBool>`${eb.refTuple("org_id", "day", "project_id", "credential_id", "service")} in (${old})`)
    .executeTakeFirst();
  return Number(deleted.numDeletedRows);
}

export type Dimension = "project_id" | "credential_id" | "service";

export interface UsageFilter {
  /** Both days are included. */
  readonly fromDay: number;
  readonly toDay: number;
  readonly projectId?: string | undefined;
  readonly credentialId?: string | undefined;
  readonly service?: string | undefined;
  /** Only rows of these projects. */
  readonly visible?: VisibleRows;
}

/** The usage of a day, or of all days. Members that are not grouped by are empty. */
export type UsageSum = Omit<UsageRow, "org_id">;

/** The key of the last sum of a page. */
export type UsageKey = readonly [day: number, project: string, credential: string, service: string];

const COUNTS = ["requests", "refused", "bytes_in", "bytes_out", "bytes_scanned"] as const;
const FLOWS = [...COUNTS, "bytes_stored"] as const;

export interface Grouping {
  readonly by: readonly Dimension[];
  /** One sum for all days. Its stored bytes are those of the last day. */
  readonly total?: boolean;
  readonly after?: UsageKey | undefined;
  readonly limit: number;
}

/** Returns sums by day, newest first, and by the other columns. */
export async function usageSums(
  db: Reader,
  orgId: string,
  filter: UsageFilter,
  { by, total = false, after, limit }: Grouping,
): Promise<UsageSum[]> {
  const day = total ? sql.lit(filter.fromDay) : sql.ref("day");
  const last = total ? sql`case when day = ${filter.toDay} then bytes_stored else 0 end` : sql.ref("bytes_stored");
  const keys = [...(total ? [] : (["day"] as const)), ...by];
  const rows = await filtered(db, orgId, filter)
    .select(by)
    .select(sql<number>`${day}`.as("day"))
    .select(({ fn }) => COUNTS.map((name) => fn.sum<number | string>(name).as(name)))
    .select(sql<number | string>`sum(${last})`.as("bytes_stored"))
    .$if(after !== undefined, (query) => query.where(behind(after ?? [0, "", "", ""], by, total)))
    // Without a key there is one sum, also when there are no rows.
    .$if(keys.length > 0, (query) => query.groupBy(keys))
    .$if(!total, (query) => query.orderBy("day", "desc"))
    .$call((query) => by.reduce((ordered, name) => ordered.orderBy(name), query))
    .limit(limit)
    .execute();
  return rows.map((row) => {
    const { project_id = "", credential_id = "", service: name = "" } = row as Partial<UsageSum>;
    // PostgreSQL returns sums as text.
    const flows = Object.fromEntries(FLOWS.map((flow) => [flow, Number(row[flow] ?? 0)]));
    return {
      ...(flows as Record<(typeof FLOWS)[number], number>),
      day: Number(row.day),
      project_id,
      credential_id,
      service: name,
    };
  });
}

function filtered(
  db: Reader,
  orgId: string,
  { fromDay, toDay, projectId, credentialId, service, visible = "all" }: UsageFilter,
) {
  return db
    .selectFrom("usage_daily")
    .where("org_id", "=", orgId)
    .where("day", ">=", fromDay)
    .where("day", "<=", toDay)
    .$if(projectId !== undefined, (query) => query.where("project_id", "=", projectId ?? ""))
    .$if(credentialId !== undefined, (query) => query.where("credential_id", "=", credentialId ?? ""))
    .$if(service !== undefined, (query) => query.where("service", "=", service ?? ""))
    .$if(visible !== "all", (query) => query.where("project_id", "in", visibleIn(visible)));
}

/** Returns the projects whose rows are visible; the empty text is none. */
function visibleIn(visible: VisibleRows): string[] {
  if (visible === "all") return [];
  return visible.unassigned ? ["", ...visible.projectIds] : [...visible.projectIds];
}

function behind([day, project, credential, service]: UsageKey, by: readonly Dimension[], total: boolean) {
  const values = { project_id: project, credential_id: credential, service };
  const older = sql<SqlBool>`day < ${day}`;
  if (by.length === 0) return older;
  const names = sql.join(by.map((name) => sql.ref(name)));
  const later = sql<SqlBool>`(${names}) > (${sql.join(by.map((name) => values[name]))})`;
  return total ? later : sql<SqlBool>`(${older} or (day = ${day} and ${later}))`;
}

/** Returns the days of an organization with a value that changes with the rows of the day. */
export async function usageStates(db: Reader, orgId: string): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .selectFrom("usage_daily")
    .select(["day"])
    .select(({ fn }) => FLOWS.map((name) => fn.sum<number | string>(name).as(name)))
    .where("org_id", "=", orgId)
    .groupBy("day")
    .execute();
  return new Map(rows.map((row) => [String(row.day), FLOWS.map((name) => String(row[name])).join(" ")]));
}
