import { sql, type RawBuilder } from "kysely";
import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";
import { inChunks } from "../store.ts";
import type { TagRow } from "../types.ts";

/** The columns of each table beside `repository`. All rows of a repository are in these four tables. */
const COLUMNS = {
  registry_manifest: [
    "digest",
    "org_id",
    "blob_id",
    "media_type",
    "artifact_type",
    "subject",
    "annotations",
    "size",
    "created_by",
    "created_at",
    "pulls",
    "last_pull_at",
    "untagged_at",
    "lease_until",
  ],
  registry_reference: ["manifest", "target", "org_id", "kind", "position", "media_type", "size", "platform"],
  registry_blob: ["digest", "org_id", "blob_id", "sha256", "size", "created_at", "lease_until"],
  registry_tag: ["name", "org_id", "digest", "created_by", "created_at", "updated_at"],
} as const;

type Table = keyof typeof COLUMNS;
type Digests = readonly string[];

/** Adds the hidden app that keeps an image. Its slug is none that an app can have. */
export async function insertKeeper(tx: Writer, row: Tables["app"]): Promise<void> {
  await tx.insertInto("app").values(row).execute();
}

/** Returns the manifests that go with one: the parts of an index, and what refers to it, such as signatures. */
export async function manifestsWith(db: Reader, repository: string, digest: string): Promise<string[]> {
  const found = new Set([digest]);
  for (let level: Digests = [digest]; level.length > 0;) {
    const next: string[] = [];
    for (const chunk of inChunks(level)) next.push(...(await relatedTo(db, repository, chunk)));
    level = [...new Set(next)].filter((each) => !found.has(each));
    for (const each of level) found.add(each);
  }
  return [...found];
}

async function relatedTo(db: Reader, repository: string, digests: Digests): Promise<string[]> {
  const manifests = db.selectFrom("registry_manifest as m").select("m.digest").where("m.repository", "=", repository);
  const parts = manifests.where("m.digest", "in", (eb) =>
    eb
      .selectFrom("registry_reference as r")
      .select("r.target")
      .where("r.repository", "=", repository)
      .where("r.kind", "=", "manifest")
      .where("r.manifest", "in", digests),
  );
  const referrers = manifests.where("m.subject", "in", digests);
  const rows = [...(await parts.execute()), ...(await referrers.execute())];
  return rows.map(({ digest }) => digest);
}

/** Copies manifests with their references, and the blobs that they need. The caller links their content. */
export async function copyManifests(
  tx: Writer,
  { from, to, digests }: { readonly from: string; readonly to: string; readonly digests: Digests },
): Promise<void> {
  for (const chunk of inChunks(digests)) {
    await copy(tx, "registry_manifest", from, to, sql`digest in (${sql.join(chunk)})`);
    await copy(tx, "registry_reference", from, to, sql`manifest in (${sql.join(chunk)})`);
  }
  const needed = sql`select target from registry_reference where repository = ${to} and kind <> 'manifest'`;
  await copy(tx, "registry_blob", from, to, sql`digest in (${needed})`);
  for (const table of ["registry_manifest", "registry_blob"] as const)
    await tx.updateTable(table).set({ lease_until: null }).where("repository", "=", to).execute();
}

async function copy(tx: Writer, table: Table, from: string, to: string, which: RawBuilder<unknown>): Promise<void> {
  const columns = sql.join(COLUMNS[table].map((column) => sql.ref(column)));
  await sql`
    insert into ${sql.table(table)} (repository, ${columns})
    select ${to}, ${columns} from ${sql.table(table)} where repository = ${from} and ${which}`.execute(tx);
}

/** Returns the ids of the content of a repository's manifests and blobs, one for each row. */
export async function contentIds(db: Reader, repository: string): Promise<string[]> {
  const of = async (table: "registry_manifest" | "registry_blob"): Promise<string[]> =>
    (await db.selectFrom(table).select("blob_id").where("repository", "=", repository).execute()).map(
      ({ blob_id }) => blob_id,
    );
  return [...(await of("registry_manifest")), ...(await of("registry_blob"))];
}

export async function manifestBytes(db: Reader, repository: string): Promise<number> {
  const query = db.selectFrom("registry_manifest").select((eb) => eb.fn.sum<number | null>("size").as("bytes"));
  return Number((await query.where("repository", "=", repository).executeTakeFirst())?.bytes ?? 0);
}

export async function insertTags(tx: Writer, rows: readonly TagRow[]): Promise<void> {
  for (let at = 0; at < rows.length; at += TAGS)
    await tx
      .insertInto("registry_tag")
      .values(rows.slice(at, at + TAGS))
      .execute();
}

const TAGS = 100;

/** Returns the first tag that both repositories have for different manifests. */
export async function tagInTheWay(db: Reader, from: string, to: string): Promise<string | undefined> {
  const row = await db
    .selectFrom("registry_tag as t")
    .innerJoin("registry_tag as own", (join) => join.onRef("own.name", "=", "t.name").on("own.repository", "=", to))
    .select("t.name")
    .where("t.repository", "=", from)
    .whereRef("t.digest", "<>", "own.digest")
    .orderBy("t.name")
    .limit(1)
    .executeTakeFirst();
  return row?.name;
}

/** The column that names a row within its repository. */
const KEY = {
  registry_reference: "manifest",
  registry_manifest: "digest",
  registry_blob: "digest",
  registry_tag: "name",
} as const;

/**
 * Moves the rows of a repository to another one. Rows that the other one has already stay. References come before their
 * manifests, because the manifests decide which of them move.
 */
export async function moveContents(tx: Writer, from: string, to: string): Promise<void> {
  for (const table of ["registry_reference", "registry_manifest", "registry_blob", "registry_tag"] as const) {
    const holder = table === "registry_reference" ? "registry_manifest" : table;
    await sql`
      update ${sql.table(table)} set repository = ${to}
      where repository = ${from} and ${sql.ref(KEY[table])} not in
        (select ${sql.ref(KEY[holder])} from ${sql.table(holder)} where repository = ${to})`.execute(tx);
  }
}

/** Removes the leases of everything in a repository that a manifest needs or a tag names, and notes the tags. */
export async function holdAll(tx: Writer, repository: string): Promise<void> {
  const needed = (kind: "=" | "<>"): RawBuilder<unknown> =>
    sql`select target from registry_reference where repository = ${repository} and kind ${sql.raw(kind)} 'manifest'`;
  const tagged = sql`select digest from registry_tag where repository = ${repository}`;
  await sql`update registry_blob set lease_until = null
    where repository = ${repository} and lease_until is not null and digest in (${needed("<>")})`.execute(tx);
  await sql`update registry_manifest set lease_until = null
    where repository = ${repository} and lease_until is not null
      and (digest in (${needed("=")}) or digest in (${tagged}))`.execute(tx);
  await sql`update registry_manifest set untagged_at = null
    where repository = ${repository} and untagged_at is not null and digest in (${tagged})`.execute(tx);
}

/** Counts the contents of repositories again, after every other statement of the transaction. */
export function recount(tx: Writer, orgId: string, ...repositories: readonly string[]): void {
  for (const id of repositories) {
    tx.defer(tx.deleteFrom("registry_contents").where("repository", "=", id));
    tx.defer(
      tx
        .insertInto("registry_contents")
        .columns(["repository", "org_id", "tags", "manifests", "bytes"])
        .expression((eb) =>
          eb
            .selectFrom("app")
            .select([
              "app.id",
              eb.val(orgId).as("org_id"),
              sql<number>`(select count(*) from registry_tag where repository = ${id})`.as("tags"),
              sql<number>`(select count(*) from registry_manifest where repository = ${id})`.as("manifests"),
              sql<number>`(select coalesce(sum(size), 0) from registry_manifest where repository = ${id})
                + (select coalesce(sum(size), 0) from registry_blob where repository = ${id})`.as("bytes"),
            ])
            .where("app.id", "=", id),
        ),
    );
  }
}

/** Deletes an app without content, after every other statement of the transaction. */
export function dropKeeper(tx: Writer, id: string): void {
  tx.defer(tx.deleteFrom("registry_contents").where("repository", "=", id));
  tx.defer(tx.deleteFrom("registry_repository").where("id", "=", id));
  tx.defer(tx.deleteFrom("app").where("id", "=", id));
}
