import { sql, type RawBuilder } from "kysely";
import type { MetadataStore, Reader, Tables, Writer } from "#stores/metadata/index.ts";

/** `organization`: all kinds together, set by the server. The others are set by the organization. */
export type QuotaScope = "organization" | TargetScope;

export type TargetScope = "project" | "bucket" | "webhook";

export type QuotaRow = Omit<Tables["quota"], "scope"> & { readonly scope: QuotaScope };

/** Returns the quotas of these targets. */
export async function quotasOf(db: Reader, orgId: string, targetIds: readonly string[]): Promise<QuotaRow[]> {
  const rows = db
    .selectFrom("quota")
    .selectAll()
    .where("org_id", "=", orgId)
    .where("target_id", "in", [...targetIds]);
  return (await rows.execute()) as QuotaRow[];
}

/** Lists the quotas of an organization by scope and target. */
export async function quotaRows(
  db: Reader,
  orgId: string,
  { after, limit }: { readonly after: readonly [string, string] | undefined; readonly limit: number },
): Promise<(QuotaRow & { readonly scope: TargetScope })[]> {
  const rows = await db
    .selectFrom("quota")
    .selectAll()
    .where("org_id", "=", orgId)
    .where("scope", "!=", "organization")
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`(scope, target_id) > (${sql.join([...(after ?? [])])})`),
    )
    .orderBy("scope")
    .orderBy("target_id")
    .limit(limit)
    .execute();
  return rows as (QuotaRow & { readonly scope: TargetScope })[];
}

export async function putQuota(tx: Writer, row: QuotaRow): Promise<void> {
  const { bytes_max, updated_at } = row;
  await tx
    .insertInto("quota")
    .values(row)
    .onConflict((on) => on.columns(["org_id", "scope", "target_id"]).doUpdateSet({ bytes_max, updated_at }))
    .execute();
}

export async function deleteQuota(
  tx: Writer,
  { org_id, scope, target_id }: Omit<QuotaRow, "bytes_max" | "updated_at">,
): Promise<void> {
  await tx
    .deleteFrom("quota")
    .where("org_id", "=", org_id)
    .where("scope", "=", scope)
    .where("target_id", "=", target_id)
    .execute();
}

type Value = string | RawBuilder<unknown>;
type Sum = (orgId: Value, targetId: Value) => RawBuilder<unknown>;

const bucket: Sum = (org, id) =>
  sql`(select coalesce(sum(bytes), 0) from s3_usage where org_id = ${org} and bucket = ${id})`;
const webhook: Sum = (org, id) =>
  sql`(select coalesce(sum(bytes), 0) from webhook_usage where org_id = ${org} and webhook_id = ${id})`;
const project: Sum = (org, id) => sql`
  (select coalesce(sum(bytes + reserved + trashed_bytes), 0) from file_usage where org_id = ${org} and place = ${id})
  + (select coalesce(sum(bytes), 0) from s3_usage where org_id = ${org} and bucket in (select id from app where project_id = ${id}))
  + (select coalesce(sum(bytes), 0) from registry_contents where repository in (select id from app where project_id = ${id}))
  + (select coalesce(sum(bytes), 0) from webhook_usage
      where org_id = ${org} and webhook_id in (select id from webhook where project_id = ${id}))`;
const organization: Sum = (org) => sql`
  (select coalesce(sum(bytes + reserved + trashed_bytes), 0) from file_usage where org_id = ${org})
  + (select coalesce(sum(bytes), 0) from s3_usage where org_id = ${org})
  + (select coalesce(sum(bytes + uploading), 0) from registry_usage where org_id = ${org})
  + (select coalesce(sum(bytes), 0) from webhook_usage where org_id = ${org})
  + (select coalesce(sum(bytes), 0) from telemetry_file where org_id = ${org} and dropped_at is null)`;
const SUMS: Readonly<Record<QuotaScope, Sum>> = { organization, project, bucket, webhook };

/** Returns the bytes that count towards a quota. */
export async function usedBy(
  db: Reader,
  { org_id, scope, target_id }: Pick<QuotaRow, "org_id" | "scope" | "target_id">,
): Promise<number> {
  const { rows } = await sql<{ used: number | string }>`select ${SUMS[scope](org_id, target_id)} as used`.execute(db);
  return Number(rows[0]?.used ?? 0);
}

/** Returns the highest used share of all quotas of a scope. 0: there is none. */
export async function fullestOf(db: Reader, scope: QuotaScope): Promise<number> {
  const used = SUMS[scope](sql.ref("q.org_id"), sql.ref("q.target_id"));
  const { rows } = await sql<{ share: number | string | null }>`
    select max(case when q.bytes_max = 0 then 1.0 else 1.0 * (${used}) / q.bytes_max end) as share
    from quota as q where q.scope = ${scope}`.execute(db);
  return Number(rows[0]?.share ?? 0);
}

/** Returns the name and the project of a target. Undefined: it does not exist, or is in the trash. */
export async function targetOf(
  db: Reader,
  orgId: string,
  { scope, id }: { readonly scope: "bucket" | "webhook"; readonly id: string },
): Promise<{ readonly name: string; readonly project_id: string } | undefined> {
  if (scope === "webhook")
    return db
      .selectFrom("webhook")
      .select(["name", "project_id"])
      .where("org_id", "=", orgId)
      .where("id", "=", id)
      .where("deleted_at", "is", null)
      .executeTakeFirst();
  return db
    .selectFrom("app")
    .select(["slug as name", "project_id"])
    .where("org_id", "=", orgId)
    .where("id", "=", id)
    .where("trashed_at", "is", null)
    .executeTakeFirst();
}

export interface OrganizationTotal {
  readonly org_id: string;
  readonly used: number;
  /** The operator has set a quota of the organization. */
  readonly decided: boolean;
}

/** Returns the bytes of each organization over all kinds. Each table is read once. */
export async function totalsOf(db: Reader): Promise<OrganizationTotal[]> {
  const { rows } = await sql<{ org_id: string; used: number | string; decided: number | string }>`
    select o.id as org_id, coalesce(u.used, 0) as used,
      (select count(*) from file_policy where org_id = o.id and stored_bytes_max is not null)
      + (select count(*) from registry_policy where org_id = o.id and stored_bytes_max is not null)
      + (select count(*) from telemetry_policy where org_id = o.id and stored_bytes_max is not null) as decided
    from organization as o left join (
      select org_id, sum(bytes) as used from (
        select org_id, bytes + reserved + trashed_bytes as bytes from file_usage
        union all select org_id, bytes from s3_usage
        union all select org_id, bytes + uploading from registry_usage
        union all select org_id, bytes from webhook_usage
        union all select org_id, bytes from telemetry_file where dropped_at is null) as counted
      group by org_id) as u on u.org_id = o.id`.execute(db);
  return rows.map(({ org_id, used, decided }) => ({ org_id, used: Number(used), decided: Number(decided) > 0 }));
}

/** Replaces the limits of organizations. Writes nothing if they are the same. */
export async function setTotals(
  { read, write }: Pick<MetadataStore, "read" | "write">,
  rows: readonly Pick<QuotaRow, "org_id" | "bytes_max" | "updated_at">[],
): Promise<void> {
  const now = await read.selectFrom("quota").selectAll().where("scope", "=", "organization").execute();
  const nameOf = (row: Pick<QuotaRow, "org_id" | "bytes_max">): string => `${row.org_id} ${row.bytes_max}`;
  const before = now.map((row) => nameOf(row)).toSorted();
  if (
    before.join() ===
    rows
      .map((row) => nameOf(row))
      .toSorted()
      .join()
  )
    return;
  await write(async (tx) => {
    await tx.deleteFrom("quota").where("scope", "=", "organization").execute();
    for (const row of rows) await putQuota(tx, { ...row, scope: "organization", target_id: row.org_id });
  });
}
