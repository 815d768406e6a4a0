import type { Insertable, Selectable } from "kysely";
import { withinReach, withOptionalProject, type OptionalProjectColumns, type Reach } from "#domain/projects/index.ts";
import { inTimeRange, type Reader, type Tables, type Writer } from "#stores/metadata/index.ts";

type Table = Tables["credential_trust"];

/** A trust, with the names of its credential. */
export interface TrustRow extends Selectable<Table>, OptionalProjectColumns {
  readonly client_id: string;
  readonly credential_name: string;
}

export async function insertTrust(tx: Writer, row: Insertable<Table>): Promise<void> {
  await tx.insertInto("credential_trust").values(row).execute();
}

export async function deleteTrust(tx: Writer, orgId: string, id: string): Promise<void> {
  await tx.deleteFrom("credential_trust").where("org_id", "=", orgId).where("id", "=", id).execute();
}

/** Deletes all trusts of a revoked credential. Nobody can sign in with them any more, and lists need not skip them. */
export async function deleteTrustsOf(tx: Writer, credentialId: string): Promise<void> {
  await tx.deleteFrom("credential_trust").where("credential_id", "=", credentialId).execute();
}

/** Returns all trusts of a credential, oldest first, for sign-in. */
export async function trustsOf(db: Reader, orgId: string, credentialId: string): Promise<Selectable<Table>[]> {
  return db
    .selectFrom("credential_trust")
    .selectAll()
    .where("org_id", "=", orgId)
    .where("credential_id", "=", credentialId)
    .orderBy("id")
    .execute();
}

/** Finds a trust. A revoked credential has none. */
export async function findTrust(db: Reader, orgId: string, id: string): Promise<TrustRow | undefined> {
  return trusts(db, orgId).where("t.id", "=", id).executeTakeFirst();
}

export interface TrustFilter {
  readonly orgId: string;
  readonly reach: Reach;
  readonly credentialId?: string | undefined;
  readonly projectId?: string | undefined;
  readonly after?: { readonly createdAtMs: number; readonly id: string } | undefined;
  readonly limit: number;
}

/** Lists the trusts of credentials within the reach, newest first. */
export async function listTrusts(db: Reader, filter: TrustFilter): Promise<TrustRow[]> {
  const { reach, credentialId, projectId, after } = filter;
  let query = trusts(db, filter.orgId).where(withinReach(reach, "t.project_id"));
  if (credentialId !== undefined) query = query.where("t.credential_id", "=", credentialId);
  if (projectId !== undefined) query = query.where("t.project_id", "=", projectId);
  if (after !== undefined) {
    const before = { atMs: after.createdAtMs, tie: after.id };
    query = query.where(inTimeRange({ time: "t.created_at", tie: "t.id" }, {}, { before }));
  }
  return query.orderBy("t.created_at", "desc").orderBy("t.id", "desc").limit(filter.limit).execute();
}

function trusts(db: Reader, orgId: string) {
  return withOptionalProject(db.selectFrom("credential_trust as t"), "t.project_id")
    .innerJoin("credential as c", (join) =>
      join.onRef("c.id", "=", "t.credential_id").onRef("c.org_id", "=", "t.org_id"),
    )
    .selectAll("t")
    .select(["c.client_id", "c.name as credential_name"])
    .where("t.org_id", "=", orgId)
    .where("c.revoked_at", "is", null);
}

/** Records a use. Other nodes report too, so the time is only replaced by a later one. */
export async function recordTrustUse(
  tx: Writer,
  use: { readonly trustId: string; readonly atMs: number; readonly subject: string },
): Promise<void> {
  await tx
    .updateTable("credential_trust")
    .set({ last_used_at: use.atMs, last_subject: use.subject })
    .where("id", "=", use.trustId)
    .where((row) => row.or([row("last_used_at", "is", null), row("last_used_at", "<", use.atMs)]))
    .execute();
}
