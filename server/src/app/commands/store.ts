import type { Reader } from "#stores/metadata/index.ts";

/** Every organization of the instance, by slug; for the operator's own commands. */
export async function listOrganizations(db: Reader): Promise<{ id: string; slug: string }[]> {
  return db.selectFrom("organization").select(["id", "slug"]).orderBy("slug").execute();
}
