import { sql, type ExpressionBuilder } from "kysely";
import {
  columnsOf,
  inTimeRange,
  prepared,
  type Reader,
  type Tables,
  type TimePlace,
  type Writer,
} from "#stores/metadata/index.ts";
import type { AuditRow } from "./event.ts";

export interface AuditHead {
  seq: number;
  hash: string;
}

/** The filters of a list. A row must match all of them. Times are milliseconds since the epoch; `toMs` is exclusive. */
export interface AuditFilters {
  actorId?: string | undefined;
  /** An action. If it ends in `.`, all actions with this prefix, for example `project.` */
  action?: string | undefined;
  targetId?: string | undefined;
  result?: AuditRow["result"] | undefined;
  requestId?: string | undefined;
  fromMs?: number | undefined;
  toMs?: number | undefined;
}

export async function findHead(db: Reader | Writer, orgId: string): Promise<AuditHead | undefined> {
  return (await HEAD.execute(db, orgId))[0];
}

const HEAD = prepared((db, orgId: string) =>
  db.selectFrom("audit_head").select(["seq", "hash"]).where("org_id", "=", orgId),
);

/** Inserts the row and moves the head to it, in the caller's transaction. */
export function insertRow(tx: Writer, row: AuditRow): void {
  tx.defer(INSERT.with(tx, row));
  tx.defer(MOVE_HEAD.with(tx, row));
}

const COLUMNS = [
  "org_id",
  "seq",
  "id",
  "at",
  "actor_kind",
  "actor_id",
  "action",
  "target_kind",
  "target_id",
  "result",
  "ip",
  "request_id",
  "detail",
  "prev_hash",
  "hash",
  "commitments",
  "personal",
] as const satisfies readonly (keyof AuditRow)[];

const INSERT = prepared((db, row: AuditRow) => db.insertInto("audit").values(columnsOf(row, COLUMNS)));

const MOVE_HEAD = prepared((db, row: AuditRow) => {
  const head = columnsOf(row, ["seq", "hash"]);
  return db
    .insertInto("audit_head")
    .values({ org_id: row.org_id, ...head })
    .onConflict((conflict) => conflict.column("org_id").doUpdateSet(head));
});

/** Returns rows after `afterSeq`, oldest first. */
export async function rowsAfter(db: Reader, orgId: string, afterSeq: number, limit: number): Promise<AuditRow[]> {
  return db
    .selectFrom("audit")
    .selectAll()
    .where("org_id", "=", orgId)
    .where("seq", ">", afterSeq)
    .orderBy("seq")
    .limit(limit)
    .execute();
}

/** Returns the hashes of the entries with these numbers, by number. */
export async function hashesAt(db: Reader, orgId: string, seqs: readonly number[]): Promise<Map<number, string>> {
  const hashes = new Map<number, string>();
  // One by one: the number of checkpoints is small, and that of parameters has a limit.
  for (const seq of seqs) {
    const row = await db
      .selectFrom("audit")
      .select("hash")
      .where("org_id", "=", orgId)
      .where("seq", "=", seq)
      .executeTakeFirst();
    if (row !== undefined) hashes.set(seq, row.hash);
  }
  return hashes;
}

/** Returns the rows of an action about a target in all logs. */
export async function rowsAbout(db: Reader, targetId: string, action: string): Promise<AuditRow[]> {
  return db
    .selectFrom("audit")
    .selectAll()
    .where("target_id", "=", targetId)
    .where("action", "=", action)
    .where(sql<boolean>`org_id in (select id from organization union all select '')`)
    .execute();
}

/** Replaces the parts of a row that are not hashed, or the personal fields of a row of an older version. */
export async function replacePersonal(tx: Writer, row: AuditRow): Promise<void> {
  const { org_id: orgId, seq, ip, detail, target_id, personal } = row;
  await tx
    .updateTable("audit")
    .set({ ip, detail, target_id, personal })
    .where("org_id", "=", orgId)
    .where("seq", "=", seq)
    .execute();
}

/** Deletes the oldest entries up to a number, at most `limit`. Returns the number of deleted entries. */
export async function deleteOldest(tx: Writer, orgId: string, toSeq: number, limit: number): Promise<number> {
  const oldest = tx
    .selectFrom("audit")
    .select("seq")
    .where("org_id", "=", orgId)
    .where("seq", "<=", toSeq)
    .orderBy("seq")
    .limit(limit);
  const deleted = tx.deleteFrom("audit").where("org_id", "=", orgId).where("seq", "in", oldest);
  return (await deleted.returning("seq").execute()).length;
}

export interface AuditPage {
  readonly filters: AuditFilters;
  readonly limit: number;
  /** `desc`: newest first. */
  readonly order: "asc" | "desc";
  /** The last row of the previous page. */
  readonly behind: TimePlace | undefined;
}

/**
 * Returns matching rows by time, then by number. The clocks of nodes differ, so a higher number may have an earlier
 * time.
 */
export async function rowsByTime(db: Reader, orgId: string, page: AuditPage): Promise<AuditRow[]> {
  const { action } = page.filters;
  const isBeginning = action?.endsWith(".") === true;
  const actions = isBeginning ? await actionsWith(db, orgId, action) : [action];
  if (actions.length === 0) return [];
  const [first, ...others] = actions.map((each) => rowsOfAction(db, orgId, each, page));
  if (first === undefined) return [];
  if (others.length === 0) return first.execute();
  // Read the first rows of each action, and then the first of all these rows.
  const part = (query: typeof first) => db.selectFrom(query.as("part")).selectAll();
  const all = others.reduce((union, next) => union.unionAll(part(next)), part(first));
  return db
    .selectFrom(all.as("every"))
    .selectAll()
    .orderBy("at", page.order)
    .orderBy("seq", page.order)
    .limit(page.limit)
    .execute();
}

/** Yields all matching rows in pages, oldest first. */
export async function* pagesByTime(
  db: Reader,
  orgId: string,
  filters: AuditFilters,
  limit: number,
): AsyncGenerator<AuditRow[]> {
  for (let behind: TimePlace | undefined; ;) {
    const rows: AuditRow[] = await rowsByTime(db, orgId, { filters, limit, order: "asc", behind });
    yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < limit) return;
    behind = { atMs: last.at, tie: last.seq };
  }
}

function rowsOfAction(db: Reader, orgId: string, action: string | undefined, page: AuditPage) {
  const { filters, limit, order, behind } = page;
  return db
    .selectFrom("audit")
    .selectAll()
    .where("org_id", "=", orgId)
    .$if(action !== undefined, (query) => query.where("action", "=", action ?? ""))
    .where(matching(filters))
    .where(inTimeRange(BY_TIME, filters, order === "desc" ? { before: behind } : { after: behind }))
    .orderBy("at", order)
    .orderBy("seq", order)
    .limit(limit);
}

const BY_TIME = { time: "at", tie: "seq" };

/**
 * Returns the actions of an organization with this prefix. Each action costs one step in the index, however many
 * entries it has.
 */
async function actionsWith(db: Reader, orgId: string, beginning: string): Promise<string[]> {
  // `/` follows `.` in the order of bytes, so `project.` covers everything from `project.` to `project/`.
  const end = `${beginning.slice(0, -1)}/`;
  const { rows } = await sql<{ action: string }>`
    with recursive step(action) as (
      select (select action from audit where org_id = ${orgId} and action >= ${beginning} and action < ${end} order by action limit 1)
      union all
      select (select action from audit where org_id = ${orgId} and action > step.action and action < ${end} order by action limit 1)
      from step where step.action is not null
    )
    select action from step where action is not null`.execute(db);
  return rows.map(({ action }) => action);
}

export async function rowById(db: Reader, orgId: string, id: string): Promise<AuditRow | undefined> {
  const row = db.selectFrom("audit").selectAll().where("id", "=", id).where("org_id", "=", orgId);
  return row.executeTakeFirst();
}

export async function organizationExists(db: Reader, orgId: string): Promise<boolean> {
  const row = await db.selectFrom("organization").select("id").where("id", "=", orgId).executeTakeFirst();
  return row !== undefined;
}

function matching(filters: AuditFilters) {
  return (eb: ExpressionBuilder<Tables, "audit">) => {
    const all = [];
    if (filters.actorId !== undefined) all.push(eb("actor_id", "=", filters.actorId));
    if (filters.targetId !== undefined) all.push(eb("target_id", "=", filters.targetId));
    if (filters.result !== undefined) all.push(eb("result", "=", filters.result));
    if (filters.requestId !== undefined) all.push(eb("request_id", "=", filters.requestId));
    return eb.and(all);
  };
}
