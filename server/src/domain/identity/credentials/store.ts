import type { Insertable, Selectable } from "kysely";
import type { OrgRole, ProjectRole } from "@mooring/contract";
import { deleteTrustsOf, recordTrustUse } from "#domain/identity/federation/index.ts";
import { withinReach, withOptionalProject, type OptionalProjectColumns, type Reach } from "#domain/projects/index.ts";
import { inTimeRange, type Reader, type Tables, type Writer } from "#stores/metadata/index.ts";

export type CredentialRow = Selectable<Tables["credential"]>;
export type SecretRow = Selectable<Tables["credential_secret"]>;

/** A credential with everything that bounds it, read in one statement and so of one moment. */
export interface CredentialContext extends CredentialRow, OptionalProjectColumns {
  org_slug: string;
  token_lifetime_s: number;
  policy: string;
  creator_role: OrgRole | null;
  creator_project_role: ProjectRole | null;
  /** Null where a credential or the system created it. */
  creator_email: string | null;
  /** How the person can sign in whose own token it is: apps, passkeys and identities at providers. */
  creator_totp: number;
  creator_passkeys: number;
  creator_identities: number;
}

export async function findContext(
  db: Reader,
  by: { clientId: string } | { id: string },
): Promise<CredentialContext | undefined> {
  const query = contexts(db);
  const row = await (
    "id" in by ? query.where("c.id", "=", by.id) : query.where("c.client_id", "=", by.clientId)
  ).executeTakeFirst();
  return row;
}

/** The same for a page of a list. */
export async function contextsOf(db: Reader, ids: readonly string[]): Promise<CredentialContext[]> {
  return ids.length === 0
    ? []
    : contexts(db)
        .where("c.id", "in", [...ids])
        .execute();
}

function contexts(db: Reader) {
  return withOptionalProject(db.selectFrom("credential as c"), "c.project_id")
    .innerJoin("organization as o", "o.id", "c.org_id")
    .leftJoin("member as m", (join) => join.onRef("m.org_id", "=", "c.org_id").onRef("m.user_id", "=", "c.created_by"))
    .leftJoin("project_member as pm", (join) =>
      join
        .onRef("pm.org_id", "=", "c.org_id")
        .onRef("pm.project_id", "=", "c.project_id")
        .onRef("pm.user_id", "=", "c.created_by"),
    )
    .leftJoin("person as creator", "creator.id", "c.created_by")
    .selectAll("c")
    .select([
      "creator.email as creator_email",
      "o.slug as org_slug",
      "o.token_lifetime_s",
      "o.policy",
      "m.role as creator_role",
      "pm.role as creator_project_role",
    ])
    .select((row) => [
      row
        .selectFrom("person_totp as t")
        .select(row.fn.countAll<number>().as("n"))
        .whereRef("t.user_id", "=", "c.created_by")
        .where("t.confirmed_at", "is not", null)
        .$asScalar()
        .$notNull()
        .as("creator_totp"),
      row
        .selectFrom("passkey as k")
        .select(row.fn.countAll<number>().as("n"))
        .whereRef("k.user_id", "=", "c.created_by")
        .$asScalar()
        .$notNull()
        .as("creator_passkeys"),
      row
        .selectFrom("external_identity as e")
        .select(row.fn.countAll<number>().as("n"))
        .whereRef("e.user_id", "=", "c.created_by")
        .$asScalar()
        .$notNull()
        .as("creator_identities"),
    ]);
}

/** The credential that a secret belongs to. */
export async function credentialOfSecret(db: Reader, hash: string): Promise<string | undefined> {
  const row = await db
    .selectFrom("credential_secret")
    .select("credential_id")
    .where("hash", "=", hash)
    .executeTakeFirst();
  return row?.credential_id;
}

/** Newest first: only the newest has no end, and one that ends later took over later. The clock may not tell them apart. */
export async function secretsOf(db: Reader, credentialId: string): Promise<SecretRow[]> {
  const rows = await db.selectFrom("credential_secret").selectAll().where("credential_id", "=", credentialId).execute();
  const end = (row: SecretRow): number => row.expires_at ?? Number.MAX_SAFE_INTEGER;
  return rows.toSorted((a, b) => end(b) - end(a) || b.created_at - a.created_at);
}

export async function findOrganization(
  db: Reader,
  orgId: string,
): Promise<{ slug: string; policy: string; token_lifetime_s: number } | undefined> {
  return db
    .selectFrom("organization")
    .select(["slug", "policy", "token_lifetime_s"])
    .where("id", "=", orgId)
    .executeTakeFirst();
}

export async function findMemberRole(db: Reader, orgId: string, userId: string): Promise<OrgRole | undefined> {
  const row = await db
    .selectFrom("member")
    .select("role")
    .where("org_id", "=", orgId)
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return row?.role;
}

export interface CredentialFilter {
  readonly orgId: string;
  readonly reach: Reach;
  /** Instead of `reach`: all of the organization, private projects too. */
  readonly everything: boolean;
  readonly projectId?: string | undefined;
  readonly includeRevoked: boolean;
  readonly after?: { createdAtMs: number; id: string } | undefined;
  readonly limit: number;
}

/** Newest first; only what the reach covers. */
export async function listCredentialIds(
  db: Reader,
  filter: CredentialFilter,
): Promise<{ id: string; created_at: number }[]> {
  const { orgId, reach, after } = filter;
  let query = withOptionalProject(db.selectFrom("credential as c"), "c.project_id")
    .select(["c.id", "c.created_at"])
    .where("c.org_id", "=", orgId)
    .$if(!filter.everything, (rows) => rows.where(withinReach(reach, "c.project_id")));
  if (filter.projectId !== undefined) query = query.where("c.project_id", "=", filter.projectId);
  if (!filter.includeRevoked) query = query.where("c.revoked_at", "is", null);
  if (after !== undefined) {
    const before = { atMs: after.createdAtMs, tie: after.id };
    query = query.where(inTimeRange({ time: "c.created_at", tie: "c.id" }, {}, { before }));
  }
  return query.orderBy("c.created_at", "desc").orderBy("c.id", "desc").limit(filter.limit).execute();
}

export async function countLive(
  db: Reader,
  orgId: string,
  { atMs, lifetimeMsMax }: { readonly atMs: number; readonly lifetimeMsMax: number | null },
): Promise<number> {
  const row = await db
    .selectFrom("credential")
    .select((eb) => eb.fn.countAll().as("count"))
    .where("org_id", "=", orgId)
    .where("revoked_at", "is", null)
    .where((eb) => eb.or([eb("expires_at", "is", null), eb("expires_at", ">", atMs)]))
    .$if(lifetimeMsMax !== null, (query) => query.where("created_at", ">", atMs - (lifetimeMsMax ?? 0)))
    .executeTakeFirst();
  return Number(row?.count ?? 0);
}

export async function insertCredential(tx: Writer, row: Insertable<Tables["credential"]>): Promise<void> {
  await tx.insertInto("credential").values(row).execute();
}

export async function insertSecret(tx: Writer, row: Insertable<Tables["credential_secret"]>): Promise<void> {
  await tx.insertInto("credential_secret").values(row).execute();
}

export async function updateCredential(
  tx: Writer,
  id: string,
  set: Partial<Pick<CredentialRow, "name" | "scopes" | "epoch" | "expires_at" | "allowed_addresses" | "pending">>,
): Promise<void> {
  await tx.updateTable("credential").set(set).where("id", "=", id).execute();
}

/** Ends it for good, and with it its trusts. */
export async function revokeCredentialRow(
  tx: Writer,
  id: string,
  { atMs, epoch }: { readonly atMs: number; readonly epoch: number },
): Promise<void> {
  await tx.updateTable("credential").set({ revoked_at: atMs, epoch }).where("id", "=", id).execute();
  await deleteTrustsOf(tx, id);
}

export async function expireSecret(tx: Writer, id: string, atMs: number): Promise<void> {
  await tx.updateTable("credential_secret").set({ expires_at: atMs }).where("id", "=", id).execute();
}

export async function deleteSecrets(tx: Writer, ids: readonly string[]): Promise<void> {
  if (ids.length > 0)
    await tx
      .deleteFrom("credential_secret")
      .where("id", "in", [...ids])
      .execute();
}

/** Ids of live credentials for apps that a person or credential made. */
export async function credentialsCreatedBy(db: Reader, orgId: string, createdBy: string): Promise<string[]> {
  const rows = await db
    .selectFrom("credential")
    .select("id")
    .where("org_id", "=", orgId)
    .where("created_by", "=", createdBy)
    .where("kind", "=", "app")
    .where("revoked_at", "is", null)
    .execute();
  return rows.map((row) => row.id);
}

/** Live tokens of a person's own, of one organization or of all. */
export async function personalOf(
  tx: Writer,
  person: { orgId?: string; userId: string },
): Promise<{ id: string; epoch: number }[]> {
  return tx
    .selectFrom("credential")
    .select(["id", "epoch"])
    .$if(person.orgId !== undefined, (query) => query.where("org_id", "=", person.orgId ?? ""))
    .where("created_by", "=", person.userId)
    .where("kind", "=", "personal")
    .where("revoked_at", "is", null)
    .execute();
}

export async function idsOfProject(
  tx: Writer,
  project: { orgId: string; projectId: string },
): Promise<{ id: string; epoch: number }[]> {
  return tx
    .selectFrom("credential")
    .select(["id", "epoch"])
    .where("org_id", "=", project.orgId)
    .where("project_id", "=", project.projectId)
    .where("revoked_at", "is", null)
    .execute();
}

/** Personal ones stay whose they are. */
export async function setCreator(tx: Writer, change: { orgId: string; from: string; to: string }): Promise<void> {
  const { orgId, from, to } = change;
  await tx
    .updateTable("credential")
    .set({ created_by: to })
    .where("org_id", "=", orgId)
    .where("created_by", "=", from)
    .where("kind", "=", "app")
    .execute();
}

export interface Usage {
  readonly credentialId: string;
  readonly atMs: number;
  readonly ip: string | null;
  /** When each secret was last used. */
  readonly secrets: ReadonlyMap<string, number>;
  /** The same of its trusts, and by whom. */
  readonly trusts: ReadonlyMap<string, { readonly atMs: number; readonly subject: string }>;
}

/** Other nodes report too, so a time only ever moves forward. */
export async function recordUsage(tx: Writer, usage: Usage): Promise<void> {
  await tx
    .updateTable("credential")
    .set({ last_used_at: usage.atMs, ...(usage.ip === null ? {} : { last_used_ip: usage.ip }) })
    .where("id", "=", usage.credentialId)
    .where((row) => row.or([row("last_used_at", "is", null), row("last_used_at", "<", usage.atMs)]))
    .execute();
  for (const [secretId, atMs] of usage.secrets) {
    await tx.updateTable("credential_secret").set({ last_used_at: atMs }).where("id", "=", secretId).execute();
  }
  for (const [trustId, use] of usage.trusts) await recordTrustUse(tx, { trustId, ...use });
}
