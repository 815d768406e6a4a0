import { holderOfSlug, projectByName, trashedProject } from "#domain/projects/index.ts";
import { sql, type RawBuilder } from "kysely";
import type { Reader, Writer } from "#stores/metadata/index.ts";
import { MOVED_TABLES, type MovedTable, type Table } from "../tables.ts";
import type { MovePart } from "./part.ts";

type Condition = RawBuilder<unknown>;

/** Tables of a project whose first named row is not the one that decides. */
const DECIDES: Readonly<Partial<Record<Table, string>>> = { credential_trust: "credential_id" };

/** Tables that name the project in another way than by `names`. */
const OTHERWISE: Readonly<Partial<Record<Table, (projectId: string) => Condition>>> = {
  file_name: (id) => sql`place = ${id}`,
  webhook_body: (id) => sql`seq in (select seq from webhook_event where project_id = ${id})`,
};

/** Returns the condition for rows of the part, or null if it has no rows of the table. */
export function rowsOfPart(moved: MovedTable, { kind, id }: MovePart): Condition | null {
  if (kind === "file") return moved.table === "file" ? sql`id = ${id}` : null;
  if (kind === "bucket") return moved.table === "s3_object" ? sql`bucket = ${id}` : null;
  return rowsOfProject(moved, id);
}

function rowsOfProject(moved: MovedTable, projectId: string): Condition | null {
  const { table, names = {} } = moved;
  if (table === "project") return sql`id = ${projectId}`;
  const other = OTHERWISE[table];
  if (other !== undefined) return other(projectId);
  const decides = DECIDES[table];
  const columns = Object.entries(names).filter(([column]) => decides === undefined || column === decides);
  if (columns.some(([column, target]) => target === "project" && column === "project_id"))
    return sql`project_id = ${projectId}`;
  for (const [column, target] of columns) {
    const parent = MOVED_TABLES.find((each) => each.table === target);
    const condition = parent === undefined || !isOfProjects(parent) ? null : rowsOfProject(parent, projectId);
    if (condition !== null)
      return sql`${sql.ref(column)} in (select ${sql.ref("id")} from ${sql.table(target)} where ${condition})`;
  }
  return null;
}

/** People, groups and roles belong to the organization. */
const OF_ORGANIZATION: ReadonlySet<Table> = new Set(["person", "person_group", "custom_role", "organization"]);

function isOfProjects({ table }: MovedTable): boolean {
  return !OF_ORGANIZATION.has(table);
}

/** Returns why a project can't return: its id or a slug is taken. Null: nothing is in its way. */
export async function nameTaken(
  tx: Writer,
  orgId: string,
  { projectId, slug, apps }: { readonly projectId: string; readonly slug: string; readonly apps: readonly string[] },
): Promise<string | null> {
  const own = (await projectByName(tx, orgId, projectId)) ?? (await trashedProject(tx, orgId, projectId));
  if (own !== undefined)
    return `the project ${slug} is on this server: restore it from the trash, or restore its files and buckets`;
  const holder = await holderOfSlug(tx, orgId, slug);
  if (holder !== undefined) return `another project has the slug ${slug}: change that slug first`;
  if (apps.length === 0) return null;
  const query = tx
    .selectFrom("app")
    .select("slug")
    .where("org_id", "=", orgId)
    .where("slug", "in", [...apps]);
  const app = await query.executeTakeFirst();
  return app === undefined ? null : `another app has the slug ${app.slug}: change that slug first`;
}

/** Returns the members, groups and roles of the organization, which rows of a project may name. */
export async function namesHere(db: Reader, orgId: string): Promise<Map<Table, Set<string>>> {
  const members = await db.selectFrom("member").select("user_id as id").where("org_id", "=", orgId).execute();
  const groups = await db.selectFrom("person_group").select("id").where("org_id", "=", orgId).execute();
  const roles = await db.selectFrom("custom_role").select("id").where("org_id", "=", orgId).execute();
  const ids = (rows: readonly { id: string }[]): Set<string> => new Set(rows.map(({ id }) => id));
  return new Map<Table, Set<string>>([
    ["person", ids(members)],
    ["person_group", ids(groups)],
    ["custom_role", ids(roles)],
  ]);
}

/** Counts the rows of a restored project in the usage of its organization, and forgets that it was deleted. */
export async function countProject(tx: Writer, orgId: string, projectId: string): Promise<void> {
  await sql`delete from deleted_project where org_id = ${orgId} and id = ${projectId}`.execute(tx);
  await sql`delete from file_usage where org_id = ${orgId} and place = ${projectId}`.execute(tx);
  await sql`insert into file_usage (org_id, place, files, bytes, grants, reserved, trashed_files, trashed_bytes)
    select ${orgId}, ${projectId}, (select count(*) from file where project_id = ${projectId}),
      (select coalesce(sum(size), 0) from file where project_id = ${projectId}), 0, 0,
      (select count(*) from trashed_file where project_id = ${projectId}),
      (select coalesce(sum(size), 0) from trashed_file where project_id = ${projectId})`.execute(tx);
  const buckets = sql`select id from app where project_id = ${projectId}`;
  await sql`delete from s3_usage where org_id = ${orgId} and bucket in (${buckets})`.execute(tx);
  await sql`insert into s3_usage (org_id, bucket, shard, objects, bytes, writes)
    select ${orgId}, bucket, 0, sum(objects), sum(bytes), count(*) from (
      select bucket, 1 as objects, size as bytes from s3_object where bucket in (${buckets})
      union all
      select bucket, case when blob_id is null then 0 else 1 end, size from s3_history where bucket in (${buckets})) as counted
    group by bucket`.execute(tx);
  await sql`insert into registry_usage (org_id, bytes, uploading) values (${orgId}, 0, 0) on conflict do nothing`.execute(
    tx,
  );
  // Equal content of several repositories is stored once, so the sum is counted again.
  await sql`update registry_usage set bytes = (select coalesce(sum(size), 0) from
        (select max(size) as size from registry_blob where org_id = ${orgId} group by sha256) as content)
      + (select coalesce(sum(size), 0) from registry_manifest where org_id = ${orgId})
    where org_id = ${orgId}`.execute(tx);
  await sql`insert into webhook_usage (org_id, webhook_id, events, bytes, purged)
    select org_id, webhook_id, count(*), sum(size + length(headers)), 0 from webhook_event
    where org_id = ${orgId} and project_id = ${projectId} group by org_id, webhook_id
    on conflict (org_id, webhook_id) do update set
      events = webhook_usage.events + excluded.events, bytes = webhook_usage.bytes + excluded.bytes`.execute(tx);
}

/** Returns the bucket with this id, or else with this name. */
export async function bucketHere(
  db: Reader,
  orgId: string,
  { id, name }: Pick<MovePart, "id" | "name">,
): Promise<{ id: string; slug: string } | undefined> {
  const found = await db
    .selectFrom("app")
    .select(["id", "slug"])
    .where("org_id", "=", orgId)
    .where((eb) => eb.or([eb("id", "=", id), eb("slug", "=", name)]))
    .execute();
  return found.find((app) => app.id === id) ?? found[0];
}

/** Returns the current versions of these keys. */
export async function objectsHere(
  db: Reader,
  bucketId: string,
  keys: readonly Uint8Array[],
): Promise<{ key: Uint8Array; etag: string; size: number }[]> {
  const query = db.selectFrom("s3_object").select(["key", "etag", "size"]).where("bucket", "=", bucketId);
  return query.where("key", "in", [...keys]).execute();
}
