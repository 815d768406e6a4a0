import { absent } from "#domain/identity/index.ts";
import { organizationById, organizationBySlug, type Organization } from "#domain/organizations/index.ts";
import { isId } from "#kernel/ids.ts";
import type { Reader } from "#stores/metadata/index.ts";

/** Finds an organization by its id or slug. The two differ: an id has a `_`, a slug has none. @throws Problem `not_found` */
export async function organizationNamed(db: Reader, idOrSlug: string): Promise<Organization> {
  const find = isId("org", idOrSlug) ? organizationById : organizationBySlug;
  const found = await find(db, idOrSlug);
  if (found === undefined) throw absent();
  return found;
}
