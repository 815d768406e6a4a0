import type { Reader } from "#stores/metadata/index.ts";

/** A user id, a credential id, or `system`. */
export async function creatorOf(db: Reader, orgId: string, credentialId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom("credential")
    .select("created_by")
    .where("org_id", "=", orgId)
    .where("id", "=", credentialId)
    .executeTakeFirst();
  return row?.created_by;
}
