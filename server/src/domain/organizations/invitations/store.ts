import { customRoleOf, type CustomRoleColumns } from "#domain/identity/index.ts";
import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";

/** An invitation, with the columns of its custom role. */
export type Invitation = Tables["invitation"] & CustomRoleColumns;

export async function invitationById(db: Reader, orgId: string, id: string): Promise<Invitation | undefined> {
  return db
    .selectFrom("invitation")
    .selectAll()
    .select(customRoleOf("invitation"))
    .where("org_id", "=", orgId)
    .where("id", "=", id)
    .executeTakeFirst();
}

/** Finds an invitation in any organization: its token, shown or mailed, identifies it. */
export async function invitationByToken(db: Reader, tokenHash: string): Promise<Invitation | undefined> {
  return db
    .selectFrom("invitation")
    .selectAll()
    .select(customRoleOf("invitation"))
    .where((row) => row.or([row("token_hash", "=", tokenHash), row("mailed_token_hash", "=", tokenHash)]))
    .executeTakeFirst();
}

/** Lists invitations, newest first. */
export async function listInvitationRows(
  db: Reader,
  orgId: string,
  page: { beforeId: string | undefined; limit: number },
): Promise<Invitation[]> {
  return db
    .selectFrom("invitation")
    .selectAll()
    .select(customRoleOf("invitation"))
    .where("org_id", "=", orgId)
    .$if(page.beforeId !== undefined, (query) => query.where("id", "<", page.beforeId ?? ""))
    .orderBy("id", "desc")
    .limit(page.limit)
    .execute();
}

export async function pendingFor(
  db: Reader,
  orgId: string,
  email: string,
  nowMs: number,
): Promise<Invitation | undefined> {
  return db
    .selectFrom("invitation")
    .selectAll()
    .select(customRoleOf("invitation"))
    .where("org_id", "=", orgId)
    .where("email", "=", email)
    .where("accepted_at", "is", null)
    .where("revoked_at", "is", null)
    .where("expires_at", ">", nowMs)
    .executeTakeFirst();
}

export async function insertInvitation(tx: Writer, invitation: Invitation): Promise<void> {
  const { custom_slug: _slug, custom_scopes: _scopes, ...row } = invitation;
  await tx.insertInto("invitation").values(row).execute();
}

/** Replaces the link of an invitation. The old link ends. */
export async function renewInvitationRow(
  tx: Writer,
  { org_id, id }: Invitation,
  change: Pick<
    Invitation,
    "token_hash" | "mailed_token_hash" | "expires_at" | "invited_by" | "email_sent_at" | "email_failure"
  >,
): Promise<void> {
  await tx.updateTable("invitation").set(change).where("org_id", "=", org_id).where("id", "=", id).execute();
}

/** Sets the token of the mailed link, in addition to the shown one. */
export async function setMailedToken(tx: Writer, { org_id, id, token_hash }: Invitation, hash: string): Promise<void> {
  await tx
    .updateTable("invitation")
    .set({ mailed_token_hash: hash })
    .where("org_id", "=", org_id)
    .where("id", "=", id)
    .where("token_hash", "=", token_hash)
    .execute();
}

export async function closeInvitation(
  tx: Writer,
  invitation: Invitation,
  change: { accepted_at: number } | { revoked_at: number },
): Promise<void> {
  await tx
    .updateTable("invitation")
    .set(change)
    .where("org_id", "=", invitation.org_id)
    .where("id", "=", invitation.id)
    .execute();
}
