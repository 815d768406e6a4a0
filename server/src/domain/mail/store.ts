import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";

export type MailRow = Tables["mail"];

export async function insertMail(tx: Writer, row: MailRow): Promise<void> {
  await tx.insertInto("mail").values(row).execute();
}

export async function mailById(db: Reader, id: string): Promise<MailRow | undefined> {
  return db.selectFrom("mail").selectAll().where("id", "=", id).executeTakeFirst();
}

/** Returns false if the mail was deleted. */
export async function updateMail(tx: Writer, id: string, change: Partial<MailRow>): Promise<boolean> {
  const rows = await tx.updateTable("mail").set(change).where("id", "=", id).returning("id").execute();
  return rows.length > 0;
}

/** Returns false if the mail was deleted before. */
export async function deleteMail(tx: Writer, id: string): Promise<boolean> {
  const rows = await tx.deleteFrom("mail").where("id", "=", id).returning("id").execute();
  return rows.length > 0;
}

/** Returns the newest mails that no mail server has accepted. */
export async function newestMails(db: Reader, limit: number): Promise<Omit<MailRow, "body">[]> {
  return db
    .selectFrom("mail")
    .select(["id", "recipient", "subject", "invitation_id", "attempts", "failure", "failed_at"])
    .select(["next_at", "created_at", "expires_at"])
    .orderBy("created_at", "desc")
    .limit(limit)
    .execute();
}

/** Deletes the waiting mails with earlier links of an invitation. Their jobs end when they find nothing. */
export async function deleteEarlierMails(tx: Writer, invitationId: string): Promise<void> {
  await tx.deleteFrom("mail").where("invitation_id", "=", invitationId).execute();
}

/** Whether the link of an invitation still works, apart from its end. */
export async function isInvitationOpen(db: Reader, id: string): Promise<boolean> {
  const row = await db
    .selectFrom("invitation")
    .select(["accepted_at", "revoked_at"])
    .where("id", "=", id)
    .executeTakeFirst();
  return row !== undefined && row.accepted_at === null && row.revoked_at === null;
}

/** Stores the result of the newest mail with an invitation's link. */
export async function noteInvitation(
  tx: Writer,
  invitationId: string,
  { sentAtMs, failure }: { readonly sentAtMs: number | null; readonly failure: string | null },
): Promise<void> {
  await tx
    .updateTable("invitation")
    .set({ email_sent_at: sentAtMs, email_failure: failure })
    .where("id", "=", invitationId)
    .execute();
}
