import type { ExpressionBuilder } from "kysely";
import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";
import type { AuditRow } from "./event.ts";

export interface AuditHead {
  seq: number;
  hash: string;
}

/** All of them must hold. Times are milliseconds since the epoch, `toMs` exclusive. */
export interface AuditFilters {
  actorId?: string | undefined;
  /** An action, or the beginning of some when it ends in `.`: `project.` */
  action?: string | undefined;
  targetId?: string | undefined;
  result?: AuditRow["result"] | undefined;
  requestId?: string | undefined;
  fromMs?: number | undefined;
  toMs?: number | undefined;
}

export async function findHead(db: Reader | Writer, orgId: string): Promise<AuditHead | undefined> {
  return db.selectFrom("audit_head").select(["seq", "hash"]).where("org_id", "=", orgId).executeTakeFirst();
}

/** Adds the row and moves the head to it, in the caller's transaction. */
export function insertRow(tx: Writer, row: AuditRow): void {
  tx.defer(tx.insertInto("audit").values(row));
  const head = { seq: row.seq, hash: row.hash };
  tx.defer(
    tx
      .insertInto("audit_head")
      .values({ org_id: row.org_id, ...head })
      .onConflict((conflict) => conflict.column("org_id").doUpdateSet(head)),
  );
}

/** Rows after `afterSeq`, oldest first. */
export async function rowsAfter(
  db: Reader,
  orgId: string,
  afterSeq: number,
  options: { limit: number; filters?: AuditFilters },
): Promise<AuditRow[]> {
  const within = await rangeOf(db, orgId, options.filters ?? {});
  return db
    .selectFrom("audit")
    .selectAll()
    .where("org_id", "=", orgId)
    .where("seq", ">", Math.max(afterSeq, within.afterSeq))
    .where("seq", "<", within.beforeSeq)
    .where(matching(options.filters ?? {}))
    .orderBy("seq")
    .limit(options.limit)
    .execute();
}

/** Rows before `beforeSeq`, newest first. */
export async function rowsBefore(
  db: Reader,
  orgId: string,
  beforeSeq: number,
  options: { limit: number; filters: AuditFilters },
): Promise<AuditRow[]> {
  const within = await rangeOf(db, orgId, options.filters);
  return db
    .selectFrom("audit")
    .selectAll()
    .where("org_id", "=", orgId)
    .where("seq", ">", within.afterSeq)
    .where("seq", "<", Math.min(beforeSeq, within.beforeSeq))
    .where(matching(options.filters))
    .orderBy("seq", "desc")
    .limit(options.limit)
    .execute();
}

export async function rowById(db: Reader, orgId: string, id: string): Promise<AuditRow | undefined> {
  const row = db.selectFrom("audit").selectAll().where("id", "=", id).where("org_id", "=", orgId);
  return row.executeTakeFirst();
}

export async function organizationExists(db: Reader, orgId: string): Promise<boolean> {
  const row = await db.selectFrom("organization").select("id").where("id", "=", orgId).executeTakeFirst();
  return row !== undefined;
}

/** Clocks of nodes, and one clock at two times, differ by less. */
const CLOCKS_DIFFER_MS = 24 * 60 * 60 * 1000;

/**
 * Numbers between which the rows of a range of times lie. A log is read in the order of its numbers, and would be read from its
 * end to a range long ago; numbers and times grow alike, so that two steps in the index of times find where to begin and to end.
 */
async function rangeOf(
  db: Reader,
  orgId: string,
  { fromMs, toMs }: AuditFilters,
): Promise<{ afterSeq: number; beforeSeq: number }> {
  const rows = db.selectFrom("audit").select("seq").where("org_id", "=", orgId).limit(1);
  const earlier =
    fromMs === undefined
      ? undefined
      : await rows
          .where("at", "<", fromMs - CLOCKS_DIFFER_MS)
          .orderBy("at", "desc")
          .executeTakeFirst();
  const later =
    toMs === undefined
      ? undefined
      : await rows
          .where("at", ">=", toMs + CLOCKS_DIFFER_MS)
          .orderBy("at")
          .executeTakeFirst();
  return { afterSeq: earlier?.seq ?? 0, beforeSeq: later?.seq ?? Number.MAX_SAFE_INTEGER };
}

function matching(filters: AuditFilters) {
  return (eb: ExpressionBuilder<Tables, "audit">) => {
    const all = [];
    if (filters.actorId !== undefined) all.push(eb("actor_id", "=", filters.actorId));
    if (filters.action !== undefined) all.push(actionIs(eb, filters.action));
    if (filters.targetId !== undefined) all.push(eb("target_id", "=", filters.targetId));
    if (filters.result !== undefined) all.push(eb("result", "=", filters.result));
    if (filters.requestId !== undefined) all.push(eb("request_id", "=", filters.requestId));
    if (filters.fromMs !== undefined) all.push(eb("at", ">=", filters.fromMs));
    if (filters.toMs !== undefined) all.push(eb("at", "<", filters.toMs));
    return eb.and(all);
  };
}

/** `project.` takes what lies between it and `project/`, the text that follows in the order of bytes: an index serves it. */
function actionIs(eb: ExpressionBuilder<Tables, "audit">, action: string) {
  if (!action.endsWith(".")) return eb("action", "=", action);
  return eb.and([eb("action", ">=", action), eb("action", "<", `${action.slice(0, -1)}/`)]);
}
