import { TRASH_KINDS, TRASH_RULES } from "@mooring/contract";
import type { Identity } from "#domain/identity/index.ts";
import { LIFECYCLE } from "#domain/s3/index.ts";
import { newId } from "#kernel/ids.ts";
import type { Clock } from "#kernel/time.ts";
import type { Writer } from "#stores/metadata/index.ts";
import type { ArrivedContent, ArrivedContents } from "./arrive-contents.ts";
import { requireCount, requireOwnName, validateRow } from "./checks.ts";
import { ownerOf } from "./contents.ts";
import { readLines, recordsPath } from "./format.ts";
import type { MoveKey } from "./passphrase.ts";
import type { ArrivingPeople } from "./people.ts";
import type { OpenExport } from "./read.ts";
import { arrivingRow } from "./rows.ts";
import { countUsage, insertRows, nextPolicyRevision, reserveNumbers, type Row } from "./store.ts";
import { MOVED_TABLES, type MovedTable, type Table } from "./tables.ts";

const BATCH = 200;

export interface ArrivingRows {
  readonly from: OpenExport;
  /** The slug on this server. */
  readonly slug: string;
  readonly identity: Pick<Identity, "envelope" | "ring">;
  readonly key: MoveKey | null;
  readonly contents: ArrivedContents;
  readonly people: ArrivingPeople;
  readonly clock: Clock;
  /** Whether credentials and S3 keys arrive revoked. */
  readonly revokes: boolean;
  /** For a part of an organization: the rows of the organization here that rows of the part may name. */
  readonly here?: ReadonlyMap<Table, ReadonlySet<string>>;
}

/** Inserts all rows of the export. @throws Error when a row belongs to another organization, or was altered */
export async function arriveRows(tx: Writer, arriving: ArrivingRows): Promise<void> {
  const { here } = arriving;
  const names = new Names(arriving.from.manifest.organization.id, here);
  const revision = await nextPolicyRevision(tx);
  const numbers = await reserveNumbers(tx, await highestNumber(arriving.from));
  const next = async (moved: MovedTable, written: Row): Promise<Row | null> => {
    // A member, group or role that is no longer here.
    if (here !== undefined && !names.has(moved, written, here)) return null;
    const row = await arrived(tx, moved, written, arriving);
    names.check(moved, row ?? written);
    if (row === null) return null;
    for (const column of moved.numbers ?? []) row[column] = Number(row[column]) + numbers;
    if (moved.table === "telemetry_policy") row["revision"] = revision;
    return row;
  };
  for (const moved of MOVED_TABLES) {
    if (moved.secret === true && arriving.key === null) continue;
    const rows = tableRows(arriving.from, moved, (written) => next(moved, written));
    for await (const batch of rows) await insertRows(tx, moved, batch);
  }
  if (here === undefined) {
    names.requireMembers();
    await countUsage(tx, arriving.from.manifest.organization.id);
  }
  await insertJobs(tx, arriving, names.of("s3_bucket"));
}

/** Yields the rows of a table in batches. @throws Error at the end when the export has another number of rows */
async function* tableRows(
  { archive, file, manifest }: OpenExport,
  { table }: MovedTable,
  next: (written: Row) => Promise<Row | null>,
): AsyncGenerator<Row[]> {
  let batch: Row[] = [];
  let count = 0;
  for await (const written of readLines(archive, file(recordsPath(table)))) {
    count += 1;
    const row = await next(written as Row);
    if (row !== null) batch.push(row);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
  if (count !== manifest.tables[table])
    throw new Error(`the export has ${count} rows of ${table}, and its manifest names ${manifest.tables[table] ?? 0}`);
}

/** Returns the row for this server, or null if it stays out. */
async function arrived(
  tx: Writer,
  moved: MovedTable,
  written: Row,
  { from, slug, identity, key, contents, people, clock, revokes }: ArrivingRows,
): Promise<Row | null> {
  const { table } = moved;
  const owner = moved.owner;
  // An account that is here keeps its own secrets.
  if ("people" in owner && table !== "person" && people.known.has(String(written["user_id"]))) return null;
  if ("people" in owner && table !== "person" && people.unclaimed.has(String(written["user_id"]))) return null;
  const row = arrivingRow(moved, written, { identity, key });
  validateRow(moved, row);
  if (table === "audit_key") await requireOwnName(row);
  if (table === "organization") return { ...row, slug };
  const isRevoked = revokes && (table === "credential" || table === "s3_key");
  if (isRevoked || isTokenOfOther(moved, row, people)) row["revoked_at"] ??= clock.nowMs();
  if (table === "person") return people.row(row);
  if (typeof row["blob_id"] === "string") {
    const content = await contents.link(tx, ownerOf(table), row["blob_id"]);
    requireContent(table, row, content);
    row["blob_id"] = content.id;
  }
  if (row["org_id"] !== undefined && row["org_id"] !== from.manifest.organization.id)
    throw new Error(`a row of ${table} belongs to another organization: the export was altered`);
  return row;
}

/** A personal access token is a secret of its person, and an account that is here keeps its own secrets. */
function isTokenOfOther({ table }: MovedTable, row: Row, { known, unclaimed }: ArrivingPeople): boolean {
  const person = String(row["created_by"]);
  return table === "credential" && row["kind"] === "personal" && (known.has(person) || unclaimed.has(person));
}

/** Later pushes of all organizations find equal content by the digests of rows, and quotas count the sizes of rows. */
function requireContent(table: Table, row: Row, { sha256, size }: ArrivedContent): void {
  if (row["size"] !== undefined && row["size"] !== size)
    throw new Error(`a row of ${table} has another size than its content: the export was altered`);
  const [claimed, named] = [row["sha256"], row["digest"]];
  const digest = typeof named === "string" ? named : "";
  const isTrue =
    (claimed === undefined || claimed === sha256) && (!digest.startsWith("sha256:") || digest === `sha256:${sha256}`);
  if (!isTrue) throw new Error(`a row of ${table} has another digest than its content: the export was altered`);
}

/** The kind of an item in the trash says which table its object is in. */
function namesOf(table: Table, { kind }: Row): Readonly<Record<string, Table>> {
  const known = table === "trash_item" ? TRASH_KINDS.find((each) => each === kind) : undefined;
  return known === undefined ? {} : { object_id: TRASH_RULES[known].target };
}

/** The ids of the rows so far. A row may name only these, so that an export can't change other organizations. */
class Names {
  readonly #orgId: string;
  readonly #ids = new Map<Table, Set<string>>();
  /** Tables that other rows name. */
  readonly #named = new Set(MOVED_TABLES.flatMap(({ names = {} }) => Object.values(names)));
  /** People with a role. */
  readonly #members = new Set<unknown>();

  constructor(orgId: string, here: ReadonlyMap<Table, ReadonlySet<string>> = new Map()) {
    this.#orgId = orgId;
    for (const [table, ids] of here) this.#ids.set(table, new Set(ids));
  }

  /** Whether the rows of these tables that a row names are here. */
  has({ names = {} }: MovedTable, row: Row, tables: ReadonlyMap<Table, unknown>): boolean {
    return Object.entries(names).every(
      ([column, target]) => !tables.has(target) || row[column] === null || this.of(target).has(row[column] as string),
    );
  }

  of(table: Table): ReadonlySet<string> {
    return this.#ids.get(table) ?? new Set();
  }

  check({ table, names = {} }: MovedTable, row: Row): void {
    if (table === "organization" && row["id"] !== this.#orgId)
      throw new Error("the export has the row of another organization: it was altered");
    for (const [column, target] of Object.entries({ ...names, ...namesOf(table, row) })) {
      const value = row[column];
      if (value === null || (typeof value === "string" && this.of(target).has(value))) continue;
      throw new Error(`a row of ${table} names a ${target} that the export does not have: ${JSON.stringify(value)}`);
    }
    if (MEMBERS.includes(table)) this.#members.add(row["user_id"]);
    if (!this.#named.has(table) && table !== "s3_bucket") return;
    const ids = this.#ids.get(table) ?? new Set();
    this.#ids.set(table, ids.add(String(row["id"])));
  }

  /** An export has no account of others, so it can't take an address for later. */
  requireMembers(): void {
    for (const id of this.of("person"))
      if (!this.#members.has(id)) throw new Error(`${id} is not a member of the organization: the export was altered`);
  }
}

const MEMBERS: readonly Table[] = ["member", "project_member", "group_member"];

/** Returns the highest number that an event, or a position in the events, has. */
async function highestNumber(from: OpenExport): Promise<number> {
  let highest = 0;
  for (const moved of MOVED_TABLES) {
    const { table, numbers = [] } = moved;
    if (numbers.length === 0) continue;
    for await (const row of readLines(from.archive, from.file(recordsPath(table))))
      for (const column of numbers) highest = Math.max(highest, requireCount(moved, column, row as Row));
  }
  return highest;
}

/** Creates the jobs of lifecycle rules. A job of a bucket without rules ends at its first run. */
async function insertJobs(tx: Writer, { clock, from }: ArrivingRows, buckets: Iterable<string>): Promise<void> {
  const nowMs = clock.nowMs();
  const jobs = [...buckets].map((bucket) => ({
    id: newId("job", nowMs),
    kind: LIFECYCLE,
    key: bucket,
    group_key: from.manifest.organization.id,
    payload: "null",
    due_at: nowMs,
    fence: 0,
    attempts: 0,
    claims: 0,
    created_at: nowMs,
  }));
  if (jobs.length > 0) await insertRows(tx, { table: "job" }, jobs);
}
