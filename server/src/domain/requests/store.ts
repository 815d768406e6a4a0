import { namesOfCredentials, type Named } from "#domain/identity/index.ts";
import { sql, type RawBuilder, type SqlBool } from "kysely";
import type { Cutoff } from "#kernel/deletions.ts";
import { inTimeRange, type Reader, type Tables, type TimePlace, type Writer } from "#stores/metadata/index.ts";

export type RequestRow = Tables["refused_request"];
export type RepeatRow = Tables["refused_repeat"];

/** Whose requests a reader may find. */
export interface Reach {
  readonly orgId: string;
  /** The reader. Their own requests include those outside of any organization. */
  readonly actorId: string;
  /** Also the requests of everybody else in the organization. */
  readonly all: boolean;
}

/** Restricts rows of refused requests to those that the reader may find. */
function within({ orgId, actorId, all }: Reach): RawBuilder<SqlBool> {
  const [org, actor] = [sql.ref("refused_request.org_id"), sql.ref("refused_request.actor_id")];
  return all
    ? sql<SqlBool>`(${org} = ${orgId} or (${org} = '' and ${actor} = ${actorId}))`
    : sql<SqlBool>`(${actor} = ${actorId} and ${org} in (${orgId}, ''))`;
}

export function insertRequests(tx: Writer, rows: readonly RequestRow[], repeats: readonly RepeatRow[]): void {
  if (rows.length > 0)
    tx.defer(
      tx
        .insertInto("refused_request")
        .values([...rows])
        .onConflict((on) => on.column("id").doNothing()),
    );
  if (repeats.length > 0)
    tx.defer(
      tx
        .insertInto("refused_repeat")
        .values([...repeats])
        .onConflict((on) => on.column("id").doNothing()),
    );
}

/** A found request. `id`, `at` and `client_id` are those of the request that was asked for. */
export type Found = Pick<RequestRow, "id" | "at" | "client_id" | "record"> & { readonly group: string };

/** Finds requests by the server's id or the caller's, newest first. */
export async function findRequests(db: Reader, reach: Reach, id: string, limit: number): Promise<Found[]> {
  const column = /^req_[0-9a-z]{26}$/.test(id) ? (["id", "client_id"] as const) : (["client_id"] as const);
  const found: Found[] = [];
  for (const name of column) {
    const own = await db
      .selectFrom("refused_request")
      .select(["id", "at", "client_id", "record", "id as group"])
      .where(name, "=", id)
      .where(within(reach))
      .orderBy("at", "desc")
      .limit(limit)
      .execute();
    const repeated = await db
      .selectFrom("refused_repeat")
      .innerJoin("refused_request", "refused_request.id", "refused_repeat.request_id")
      .select(["refused_repeat.id", "refused_repeat.at", "refused_repeat.client_id", "refused_request.record"])
      .select("refused_request.id as group")
      .where(`refused_repeat.${name}`, "=", id)
      .where(within(reach))
      .orderBy("refused_repeat.at", "desc")
      .limit(limit)
      .execute();
    found.push(...own, ...repeated);
  }
  return found.toSorted((a, b) => b.at - a.at).slice(0, limit);
}

/** Reads a page of requests, newest first, without repetitions. */
export async function pageOfRequests(
  db: Reader,
  { orgId, actorId, all }: Reach,
  page: { readonly before: TimePlace | undefined; readonly limit: number },
): Promise<Found[]> {
  return db
    .selectFrom("refused_request")
    .select(["id", "at", "client_id", "record", "id as group"])
    .$if(all, (query) => query.where("org_id", "=", orgId))
    .$if(!all, (query) => query.where("actor_id", "=", actorId).where("org_id", "in", [orgId, ""]))
    .where(inTimeRange({ time: "at", tie: "id" }, {}, { before: page.before }))
    .orderBy("at", "desc")
    .orderBy("id", "desc")
    .limit(page.limit)
    .execute();
}

/** Counts the repetitions of requests. */
export async function countRepeats(db: Reader, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("refused_repeat")
    .select((eb) => ["request_id", eb.fn.countAll().as("count")])
    .where("request_id", "in", [...ids])
    .groupBy("request_id")
    .execute();
  return new Map(rows.map((row) => [row.request_id, Number(row.count)]));
}

/** Returns the time of the oldest request that is kept. */
export async function oldestRequest(db: Reader): Promise<number | undefined> {
  return (await db.selectFrom("refused_request").select("at").orderBy("at").limit(1).executeTakeFirst())?.at;
}

/** Returns the bytes of all kept requests, about. */
export async function bytesOfRequests(db: Reader): Promise<number> {
  const sum = await db
    .selectFrom("refused_request")
    .select((eb) => eb.fn.sum("bytes").as("bytes"))
    .executeTakeFirst();
  const repeats = await db
    .selectFrom("refused_repeat")
    .select((eb) => eb.fn.countAll().as("count"))
    .executeTakeFirst();
  return Number(sum?.bytes ?? 0) + Number(repeats?.count ?? 0) * REPEAT_BYTES;
}

/** A repetition with its index entries, about. */
const REPEAT_BYTES = 200;

type Table = "refused_request" | "refused_repeat";

/** Deletes the oldest rows of a table, at most `limit`. Absent `beforeMs`: of any age. Returns their number. */
export async function deleteOldest(tx: Writer, table: Table, limit: number, beforeMs?: Cutoff): Promise<number> {
  const oldest = tx
    .selectFrom(table)
    .select("id")
    .where(beforeMs === undefined ? sql<SqlBool>`1 = 1` : sql<SqlBool>`at < ${beforeMs}`)
    .orderBy("at")
    .limit(limit);
  return (await tx.deleteFrom(table).where("id", "in", oldest).returning("id").execute()).length;
}

/** Returns the present names of actors, with their projects. */
export async function namesOfActors(db: Reader, ids: readonly string[]): Promise<ReadonlyMap<string, Named>> {
  const names = new Map(await namesOfCredentials(db, ids));
  const of = (prefix: string): string[] => ids.filter((id) => id.startsWith(prefix));
  const [people, hooks] = [of("user_"), of("hook_")];
  if (people.length > 0)
    for (const { id, name } of await db.selectFrom("person").select(["id", "name"]).where("id", "in", people).execute())
      names.set(id, { name, projectId: null });
  if (hooks.length === 0) return names;
  const webhooks = db.selectFrom("webhook").select(["id", "name", "project_id"]).where("id", "in", hooks);
  for (const { id, name, project_id: projectId } of await webhooks.execute()) names.set(id, { name, projectId });
  return names;
}
