import { sql, type RawBuilder } from "kysely";
import type { MetadataStore, Reader, Writer } from "#stores/metadata/index.ts";
import type { MovePart } from "./parts/part.ts";
import { rowsOfPart } from "./parts/store.ts";
import { MOVED_TABLES, type MovedTable, type Owner, type Table } from "./tables.ts";

export type Row = Record<string, unknown>;

const IDS_PER_STATEMENT = 500;
/** PostgreSQL has at most 65,535 parameters in a statement, and SQLite 32,766. */
const PARAMETERS_MAX = 20_000;

/** Returns the next rows of an organization, in the order of the key. */
export async function rowsAfter(
  db: Reader,
  moved: MovedTable,
  orgId: string,
  {
    after,
    limit,
    signers,
    part,
  }: {
    readonly after: Row | undefined;
    readonly limit: number;
    readonly signers: Signers;
    readonly part?: MovePart | undefined;
  },
): Promise<Row[]> {
  const { table, key, owner } = moved;
  const ofPart = part === undefined ? sql`1 = 1` : rowsOfPart(moved, part);
  if (ofPart === null) return [];
  const order = sql.join(key.map((name) => sql.ref(name)));
  const beyond =
    after === undefined ? sql`1 = 1` : sql`(${order}) > (${sql.join(key.map((name) => sql.val(after[name])))})`;
  const query = sql<Row>`select * from ${sql.table(table)}
    where ${belongs(owner, orgId, signers)} and ${ofPart} and ${beyond} order by ${order} limit ${sql.lit(limit)}`;
  return (await query.execute(db)).rows;
}

/** Returns the contents that rows name, with the contents that these consist of. */
export async function contentsNamed(db: Reader, orgId: string, part: MovePart | undefined): Promise<Set<string>> {
  const ids = new Set<string>();
  for (const moved of MOVED_TABLES) {
    const ofPart = part === undefined ? sql`1 = 1` : rowsOfPart(moved, part);
    if (ofPart === null || !WITH_CONTENT.includes(moved.table)) continue;
    const query = sql<{ id: string }>`select distinct blob_id as id from ${sql.table(moved.table)}
      where ${belongs(moved.owner, orgId, [])} and ${ofPart} and blob_id is not null`;
    for (const { id } of (await query.execute(db)).rows) ids.add(id);
  }
  const open = [...ids];
  while (open.length > 0) {
    const some = open.splice(0, IDS_PER_STATEMENT);
    const parts = await db.selectFrom("blob_part").select("part_id").distinct().where("blob_id", "in", some).execute();
    for (const { part_id: id } of parts) {
      if (!ids.has(id)) open.push(id);
      ids.add(id);
    }
  }
  return ids;
}

const WITH_CONTENT: readonly Table[] = [
  "file",
  "trashed_file",
  "s3_object",
  "s3_history",
  "registry_blob",
  "registry_manifest",
  "webhook_body",
];

/** The names of the keys that signed cuts of the audit log. */
type Signers = Iterable<string>;

function belongs(owner: Owner, orgId: string, signers: Signers): RawBuilder<unknown> {
  const column = sql.ref(owner.column);
  if ("signers" in owner) {
    const kids = [...signers];
    return kids.length === 0 ? sql`1 = 0` : sql`${column} in (${sql.join(kids)})`;
  }
  if ("people" in owner)
    return sql`${column} in (select user_id from member where org_id = ${orgId}
      union select user_id from project_member where org_id = ${orgId}
      union select user_id from group_member where org_id = ${orgId})`;
  if ("parent" in owner) return sql`${column} in (select id from ${sql.table(owner.parent)} where org_id = ${orgId})`;
  return sql`${column} = ${orgId}`;
}

/** Inserts rows, which all have the same columns. */
export async function insertRows(
  tx: Writer,
  { table, mayExist }: Pick<MovedTable, "table" | "mayExist">,
  rows: readonly Row[],
): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  const size = Math.max(1, Math.floor(PARAMETERS_MAX / Math.max(1, columns.length)));
  const names = sql.join(columns.map((name) => sql.ref(name)));
  const end = mayExist === true ? sql`on conflict do nothing` : sql``;
  for (let at = 0; at < rows.length; at += size) {
    const values = rows
      .slice(at, at + size)
      .map((row) => sql`(${sql.join(columns.map((name) => sql.val(row[name])))})`);
    await sql`insert into ${sql.table(table)} (${names}) values ${sql.join(values)} ${end}`.execute(tx);
  }
}

export interface BlobInfo {
  readonly id: string;
  readonly size: number;
  /** Null: it is composed of others. */
  readonly sha256: string | null;
}

/** Returns the blobs of an owner with these ids. */
export async function blobsOf(db: Reader, owner: string, ids: readonly string[]): Promise<BlobInfo[]> {
  const found: BlobInfo[] = [];
  for (let at = 0; at < ids.length; at += IDS_PER_STATEMENT) {
    const some = ids.slice(at, at + IDS_PER_STATEMENT);
    const query = db.selectFrom("blob").select(["id", "size", "sha256"]).where("id", "in", some);
    found.push(...(await query.where("org_id", "=", owner).where("state", "=", "live").execute()));
  }
  return found;
}

/** Returns the whole blobs of an owner by their digest. */
export async function blobsByDigest(db: Reader, owner: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (let after = ""; ;) {
    const page = await db
      .selectFrom("blob")
      .select(["id", "sha256"])
      .where("id", ">", after)
      .where("org_id", "=", owner)
      .where("state", "=", "live")
      .orderBy("id")
      .limit(IDS_PER_STATEMENT)
      .execute();
    for (const { id, sha256 } of page) if (sha256 !== null) found.set(sha256, id);
    const last = page.at(-1);
    if (last === undefined || page.length < IDS_PER_STATEMENT) return found;
    after = last.id;
  }
}

export interface OrganizationName {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
}

/** Returns the organization that has this id or this slug. */
export async function organizationLike(
  db: Reader,
  { id, slug }: { readonly id: string; readonly slug: string },
): Promise<OrganizationName | undefined> {
  return db
    .selectFrom("organization")
    .select(["id", "slug", "name"])
    .where((eb) => eb.or([eb("id", "=", id), eb("slug", "=", slug)]))
    .executeTakeFirst();
}

/** Counts erasures of telemetry that have not ended. */
export async function erasuresUnderWay(db: Reader, orgId: string): Promise<number> {
  const row = await db
    .selectFrom("telemetry_erasure_part as part")
    .innerJoin("telemetry_erasure as erasure", "erasure.id", "part.erasure_id")
    .select(({ fn }) => fn.countAll<number>().as("n"))
    .where("erasure.org_id", "=", orgId)
    .where("part.state", "in", ["pending", "running"])
    .executeTakeFirst();
  return Number(row?.n ?? 0);
}

/** Counts deleted people whose traces in audit logs are not erased yet. */
export async function deletionsUnderWay(db: Reader): Promise<number> {
  const query = db.selectFrom("deleted_person").select(({ fn }) => fn.countAll<number>().as("n"));
  return Number((await query.where("erased_at", "is", null).executeTakeFirst())?.n ?? 0);
}

export async function lastMigration(db: Reader): Promise<string> {
  const rows = await db.selectFrom("migration").select("name").execute();
  return rows
    .map(({ name }) => name)
    .toSorted()
    .join(" ");
}

export async function auditHead(db: Reader, orgId: string): Promise<{ seq: number; hash: string } | null> {
  const query = db.selectFrom("audit_head").select(["seq", "hash"]).where("org_id", "=", orgId);
  return (await query.executeTakeFirst()) ?? null;
}

export interface Known {
  readonly id: string;
  readonly email: string;
}

/** Returns the accounts of this server with one of these ids or addresses. */
export async function knownPeople(db: Reader, people: readonly Known[]): Promise<Known[]> {
  const found: Known[] = [];
  for (let at = 0; at < people.length; at += IDS_PER_STATEMENT) {
    const some = people.slice(at, at + IDS_PER_STATEMENT);
    const query = db
      .selectFrom("person")
      .select(["id", "email"])
      .where((eb) =>
        eb.or([
          eb(
            "id",
            "in",
            some.map(({ id }) => id),
          ),
          eb(
            "email",
            "in",
            some.map(({ email }) => email),
          ),
        ]),
      );
    found.push(...(await query.execute()));
  }
  return found;
}

/** Reserves numbers up to `count` for webhook events, and returns what to add to those of the old server. */
export async function reserveNumbers(tx: Writer, count: number): Promise<number> {
  const head = await tx.selectFrom("webhook_head").select("seq").where("id", "=", "events").executeTakeFirstOrThrow();
  await tx
    .updateTable("webhook_head")
    .set({ seq: head.seq + count })
    .where("id", "=", "events")
    .execute();
  return head.seq;
}

export async function nextPolicyRevision(tx: Writer): Promise<number> {
  const row = await tx
    .selectFrom("telemetry_policy")
    .select(({ fn }) => fn.max("revision").as("revision"))
    .executeTakeFirst();
  return Number(row?.revision ?? 0) + 1;
}

/** Locks an organization's slug and events against other nodes. In SQLite there is one writer. */
export async function lockImport(metadata: MetadataStore, tx: Writer): Promise<void> {
  await metadata.lock(tx, "organization-import");
}

/**
 * Counts the usage of an organization from its rows. The counts of the old server include uploads under way, which do
 * not move, and an altered export could have any number.
 */
export async function countUsage(tx: Writer, orgId: string): Promise<void> {
  await sql`insert into file_usage (org_id, place, files, bytes, grants, reserved, trashed_files, trashed_bytes)
    select ${orgId}, place, sum(files), sum(bytes), 0, 0, sum(trashed_files), sum(trashed_bytes) from (
      select coalesce(project_id, '') as place, 1 as files, size as bytes, 0 as trashed_files, 0 as trashed_bytes
        from file where org_id = ${orgId}
      union all
      select coalesce(project_id, ''), 0, 0, 1, size from trashed_file where org_id = ${orgId}) as counted
    group by place`.execute(tx);
  // Every version counts as an object except a delete marker. Every version, also a delete marker, counts as a write.
  await sql`insert into s3_usage (org_id, bucket, shard, objects, bytes, writes)
    select ${orgId}, bucket, 0, sum(objects), sum(bytes), count(*) from (
      select bucket, 1 as objects, size as bytes from s3_object where org_id = ${orgId}
      union all
      select bucket, case when blob_id is null then 0 else 1 end, size from s3_history where org_id = ${orgId}) as counted
    group by bucket`.execute(tx);
  // Equal content of several repositories is stored once.
  await sql`insert into registry_usage (org_id, bytes, uploading)
    select ${orgId}, (select coalesce(sum(size), 0) from
        (select max(size) as size from registry_blob where org_id = ${orgId} group by sha256) as content)
      + (select coalesce(sum(size), 0) from registry_manifest where org_id = ${orgId}), 0`.execute(tx);
  await sql`insert into webhook_usage (org_id, webhook_id, events, bytes, purged)
    select org_id, webhook_id, count(*), sum(size + length(headers)), 0 from webhook_event
    where org_id = ${orgId} group by org_id, webhook_id`.execute(tx);
}
