import { withinReach, withOptionalProject, type OptionalProjectColumns, type Reach } from "#domain/projects/index.ts";
import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";

export type AlertRow = Tables["alert"];
export type DeliveryRow = Tables["alert_delivery"];
export type EvaluationRow = Tables["alert_evaluation"];

/** The number of evaluations, and of deliveries, that are kept for each alert. */
export const HISTORY_MAX = 100;
/** The most messages of one alert that wait for a destination that does not answer. */
const PENDING_MAX = 1000;

/** An alert with its query, and the columns that decide who may see it. */
export interface Alert extends AlertRow, OptionalProjectColumns {
  project_id: string | null;
  sql: string;
  parameters: string;
  parameter_names: string;
  query_updated_by: string;
}

function alerts(db: Reader) {
  const rows = db
    .selectFrom("alert")
    .innerJoin("saved_query as q", "q.id", "alert.query_id")
    .selectAll("alert")
    .select(["q.project_id", "q.sql", "q.parameters", "q.parameter_names", "q.updated_by as query_updated_by"]);
  return withOptionalProject(rows, "q.project_id");
}

export async function alertById(db: Reader, orgId: string, id: string): Promise<Alert | undefined> {
  return alerts(db).where("alert.org_id", "=", orgId).where("alert.id", "=", id).executeTakeFirst();
}

/** Lists the alerts within reach, of one project or all, newest first. */
export async function listAlertRows(
  db: Reader,
  orgId: string,
  reach: Reach,
  page: { projectId: string | undefined; beforeId: string | undefined; limit: number },
): Promise<Alert[]> {
  return alerts(db)
    .where("alert.org_id", "=", orgId)
    .where(withinReach(reach, "q.project_id"))
    .$if(page.projectId !== undefined, (query) => query.where("q.project_id", "=", page.projectId ?? ""))
    .$if(page.beforeId !== undefined, (query) => query.where("alert.id", "<", page.beforeId ?? ""))
    .orderBy("alert.id", "desc")
    .limit(page.limit)
    .execute();
}

export async function insertAlert(tx: Writer, row: AlertRow): Promise<void> {
  await tx.insertInto("alert").values(row).execute();
}

export async function setAlert(tx: Writer, id: string, set: Partial<AlertRow>): Promise<void> {
  await tx.updateTable("alert").set(set).where("id", "=", id).execute();
}

/**
 * Counts the evaluations and deliveries to write, and returns their last numbers. A concurrent call waits until this
 * transaction ends. Returns undefined if the alert was deleted.
 */
export async function countUp(
  tx: Writer,
  id: string,
  more: { evaluations: number; deliveries: number },
): Promise<{ evaluations: number; deliveries: number } | undefined> {
  return tx
    .updateTable("alert")
    .set((eb) => ({
      evaluations: eb("evaluations", "+", more.evaluations),
      deliveries: eb("deliveries", "+", more.deliveries),
    }))
    .where("id", "=", id)
    .returning(["evaluations", "deliveries"])
    .executeTakeFirst();
}

export async function deleteAlertRows(tx: Writer, id: string): Promise<void> {
  await tx.deleteFrom("alert_delivery").where("alert_id", "=", id).execute();
  await tx.deleteFrom("alert_evaluation").where("alert_id", "=", id).execute();
  await tx.deleteFrom("alert").where("id", "=", id).execute();
}

/** Adds the evaluation and deletes the oldest ones. */
export async function insertEvaluation(tx: Writer, row: EvaluationRow): Promise<void> {
  await tx.insertInto("alert_evaluation").values(row).execute();
  await tx
    .deleteFrom("alert_evaluation")
    .where("alert_id", "=", row.alert_id)
    .where("seq", "<=", row.seq - HISTORY_MAX)
    .execute();
}

/** Adds the delivery. Marks the oldest pending ones as dead if there are too many. Deletes the oldest settled ones. */
export async function insertDelivery(tx: Writer, row: DeliveryRow): Promise<void> {
  await tx.insertInto("alert_delivery").values(row).execute();
  await tx
    .updateTable("alert_delivery")
    .set({ state: "dead", next_attempt_at: null, last_error: `given up: ${PENDING_MAX} newer messages wait` })
    .where("alert_id", "=", row.alert_id)
    .where("seq", "<=", row.seq - PENDING_MAX)
    .where("state", "=", "pending")
    .execute();
  await tx
    .deleteFrom("alert_delivery")
    .where("alert_id", "=", row.alert_id)
    .where("seq", "<=", row.seq - HISTORY_MAX)
    .where("state", "!=", "pending")
    .execute();
}

export async function countPending(db: Reader, alertId: string): Promise<number> {
  const { count } = await db
    .selectFrom("alert_delivery")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("alert_id", "=", alertId)
    .where("state", "=", "pending")
    .executeTakeFirstOrThrow();
  return Number(count);
}

type Before = { beforeSeq: number | undefined; limit: number };

export async function deliveryRows(db: Reader, alertId: string, page: Before): Promise<DeliveryRow[]> {
  return db
    .selectFrom("alert_delivery")
    .selectAll()
    .where("alert_id", "=", alertId)
    .$if(page.beforeSeq !== undefined, (query) => query.where("seq", "<", page.beforeSeq ?? 0))
    .orderBy("seq", "desc")
    .limit(page.limit)
    .execute();
}

export async function evaluationRows(db: Reader, alertId: string, page: Before): Promise<EvaluationRow[]> {
  return db
    .selectFrom("alert_evaluation")
    .selectAll()
    .where("alert_id", "=", alertId)
    .$if(page.beforeSeq !== undefined, (query) => query.where("seq", "<", page.beforeSeq ?? 0))
    .orderBy("seq", "desc")
    .limit(page.limit)
    .execute();
}
