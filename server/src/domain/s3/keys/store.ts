import { suspensionOf, type Suspension } from "#domain/suspension/index.ts";
import type { Reader } from "#stores/metadata/index.ts";

/**
 * Finds the organization with this slug. Without a slug: the oldest, so that public buckets stay public when another
 * organization is created.
 */
export async function publicOrganization(
  db: Reader,
  slug: string | null,
): Promise<{ readonly id: string; readonly organization: Suspension } | undefined> {
  const row = await db
    .selectFrom("organization")
    .select(["id", "state", "state_reason"])
    .$if(slug !== null, (query) => query.where("slug", "=", slug ?? ""))
    .orderBy("created_at")
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? undefined : { id: row.id, organization: suspensionOf(row) };
}

export async function organizationSlug(db: Reader, id: string): Promise<string | undefined> {
  const row = await db.selectFrom("organization").select("slug").where("id", "=", id).executeTakeFirst();
  return row?.slug;
}
