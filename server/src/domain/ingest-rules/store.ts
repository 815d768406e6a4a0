import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";

export type IngestRuleRow = Tables["ingest_rule"];

export async function ruleById(db: Reader, orgId: string, id: string): Promise<IngestRuleRow | undefined> {
  return rules(db, orgId).where("id", "=", id).executeTakeFirst();
}

/** Lists rules, newest first. */
export async function ruleRows(
  db: Reader,
  orgId: string,
  page: { beforeId: string | undefined; limit: number },
): Promise<IngestRuleRow[]> {
  return rules(db, orgId)
    .$if(page.beforeId !== undefined, (query) => query.where("id", "<", page.beforeId ?? ""))
    .orderBy("id", "desc")
    .limit(page.limit)
    .execute();
}

/** A read of at most this many rows runs in this process. */
const RULES_FEW = 200;

/** Reads every rule of an organization, oldest first. */
export async function allRules(db: Reader, orgId: string): Promise<IngestRuleRow[]> {
  const all = rules(db, orgId).orderBy("id", "asc");
  const few = await all.limit(RULES_FEW).execute();
  return few.length < RULES_FEW ? few : all.execute();
}

function rules(db: Reader, orgId: string) {
  return db.selectFrom("ingest_rule").selectAll().where("org_id", "=", orgId);
}

export async function insertRule(tx: Writer, row: IngestRuleRow): Promise<void> {
  await tx.insertInto("ingest_rule").values(row).execute();
}

/** Sets everything that a change may change. The counts stay. */
export async function setRule(tx: Writer, row: IngestRuleRow): Promise<void> {
  const { name, enabled, position, types, match, keep_one_of, masks, updated_by, updated_at, revision } = row;
  await tx
    .updateTable("ingest_rule")
    .set({ name, enabled, position, types, match, keep_one_of, masks, updated_by, updated_at, revision })
    .where("org_id", "=", row.org_id)
    .where("id", "=", row.id)
    .execute();
}

export async function deleteRule(tx: Writer, orgId: string, id: string): Promise<void> {
  await tx.deleteFrom("ingest_rule").where("org_id", "=", orgId).where("id", "=", id).execute();
}

/** The rows that a rule met, removed and masked. */
export interface RuleCounts {
  readonly matched: number;
  readonly removed: number;
  readonly masked: number;
}

/** Adds to the counts of a rule; nothing if it was deleted. */
export async function addCounts(
  tx: Writer,
  { orgId, id }: { readonly orgId: string; readonly id: string },
  counted: RuleCounts,
  atMs: number,
): Promise<void> {
  await tx
    .updateTable("ingest_rule")
    .set((eb) => ({
      rows_matched: eb("rows_matched", "+", counted.matched),
      rows_removed: eb("rows_removed", "+", counted.removed),
      rows_masked: eb("rows_masked", "+", counted.masked),
      counted_at: atMs,
    }))
    .where("org_id", "=", orgId)
    .where("id", "=", id)
    .execute();
}
