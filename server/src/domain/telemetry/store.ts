import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";

export type TelemetryPolicyRow = Tables["telemetry_policy"];
export type ErasureRow = Tables["telemetry_erasure"];
export type ErasurePartRow = Tables["telemetry_erasure_part"];

export async function policyOf(db: Reader, orgId: string): Promise<TelemetryPolicyRow | undefined> {
  return db.selectFrom("telemetry_policy").selectAll().where("org_id", "=", orgId).executeTakeFirst();
}

/** Returns the organizations that have ever switched their access log on. */
export async function withAccessLog(db: Reader): Promise<string[]> {
  const policies = db.selectFrom("telemetry_policy").select("org_id").where("access_log_mode", "is not", null);
  return (await policies.orderBy("org_id").execute()).map((row) => row.org_id);
}

/** Returns the organizations with files of this table, in any directory. */
export async function withFilesOf(db: Reader, type: Tables["telemetry_file"]["type"]): Promise<string[]> {
  const files = db.selectFrom("telemetry_file").select("org_id").distinct().where("type", "=", type);
  return (await files.orderBy("org_id").execute()).map((row) => row.org_id);
}

/** Reads every organization that differs from the server's defaults, with its slug, for the operator's command. */
export async function allPolicies(db: Reader): Promise<(TelemetryPolicyRow & { slug: string })[]> {
  return db
    .selectFrom("telemetry_policy")
    .innerJoin("organization", "organization.id", "telemetry_policy.org_id")
    .selectAll("telemetry_policy")
    .select("organization.slug")
    .orderBy("organization.slug")
    .execute();
}

/** Returns the number of the last change of any policy; 0 when there was none. */
export async function latestRevision(tx: Writer): Promise<number> {
  const row = await tx
    .selectFrom("telemetry_policy")
    .select(({ fn }) => fn.max("revision").as("revision"))
    .executeTakeFirst();
  return row?.revision ?? 0;
}

export async function putPolicy(tx: Writer, row: TelemetryPolicyRow): Promise<void> {
  const { org_id: _orgId, ...change } = row;
  await tx
    .insertInto("telemetry_policy")
    .values(row)
    .onConflict((conflict) => conflict.column("org_id").doUpdateSet(change))
    .execute();
}

/**
 * Inserts the erasure and one part for each telemetry directory that uses the database. Returns the number of parts.
 */
export async function insertErasure(tx: Writer, row: ErasureRow): Promise<number> {
  await tx.insertInto("telemetry_erasure").values(row).execute();
  const stores = await tx.selectFrom("telemetry_store").select("id").execute();
  if (stores.length === 0) return 0;
  const part = { state: "pending", rows_erased: 0, files_rewritten: 0, quarantined: "[]" } as const;
  const parts = stores.map(({ id }) => ({
    ...part,
    erasure_id: row.id,
    store_id: id,
    detail: null,
    finished_at: null,
  }));
  await tx.insertInto("telemetry_erasure_part").values(parts).execute();
  return parts.length;
}

/** Stands in the place of the digest in an erasure of a whole organization, so that it is found again. */
export const WHOLE = "everything";

/**
 * Returns the states of the erasure of a whole organization, one for each directory that is not given up. Undefined:
 * there is none.
 */
export async function statesOfWhole(db: Reader, orgId: string): Promise<ErasurePartRow["state"][] | undefined> {
  const whole = db.selectFrom("telemetry_erasure").select("id").where("org_id", "=", orgId);
  const erasure = await whole.where("match_digest", "=", WHOLE).executeTakeFirst();
  if (erasure === undefined) return undefined;
  const rows = await db
    .selectFrom("telemetry_erasure_part as part")
    .leftJoin("telemetry_node as node", "node.store_id", "part.store_id")
    .select("part.state")
    .where("part.erasure_id", "=", erasure.id)
    .where("node.given_up_at", "is", null)
    .execute();
  return rows.map(({ state }) => state);
}

/** Deletes the erasures of an organization. */
export async function deleteErasures(tx: Writer, orgId: string): Promise<void> {
  const ids = tx.selectFrom("telemetry_erasure").select("id").where("org_id", "=", orgId);
  await tx.deleteFrom("telemetry_erasure_part").where("erasure_id", "in", ids).execute();
  await tx.deleteFrom("telemetry_erasure").where("org_id", "=", orgId).execute();
}

export async function erasureById(db: Reader, orgId: string, id: string): Promise<ErasureRow | undefined> {
  return db
    .selectFrom("telemetry_erasure")
    .selectAll()
    .where("org_id", "=", orgId)
    .where("id", "=", id)
    .executeTakeFirst();
}

/** Reads erasures, newest first. */
export async function erasureRows(
  db: Reader,
  orgId: string,
  page: { beforeId: string | undefined; limit: number },
): Promise<ErasureRow[]> {
  return db
    .selectFrom("telemetry_erasure")
    .selectAll()
    .where("org_id", "=", orgId)
    .$if(page.beforeId !== undefined, (query) => query.where("id", "<", page.beforeId ?? ""))
    .orderBy("id", "desc")
    .limit(page.limit)
    .execute();
}

export async function partsOf(db: Reader, orgId: string, erasureIds: readonly string[]): Promise<ErasurePartRow[]> {
  if (erasureIds.length === 0) return [];
  return db
    .selectFrom("telemetry_erasure_part")
    .innerJoin("telemetry_erasure", "telemetry_erasure.id", "telemetry_erasure_part.erasure_id")
    .selectAll("telemetry_erasure_part")
    .where("telemetry_erasure.org_id", "=", orgId)
    .where("telemetry_erasure_part.erasure_id", "in", [...erasureIds])
    .orderBy("telemetry_erasure_part.store_id")
    .execute();
}
