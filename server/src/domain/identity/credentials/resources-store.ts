import { withProject, type ProjectColumns } from "#domain/projects/index.ts";
import type { Reader } from "#stores/metadata/index.ts";

/** A resource to which a credential can be limited, with its project. */
export interface Owned extends ProjectColumns {
  readonly id: string;
  readonly org_id: string;
  readonly project_id: string;
}

/** Finds apps by ids or slugs. Returns them by the given names. */
export async function appsNamed(db: Reader, orgId: string, names: readonly string[]): Promise<Map<string, Owned>> {
  if (names.length === 0) return new Map();
  const rows = await withProject(
    db.selectFrom("app").select(["app.id", "app.org_id", "app.project_id"]).where("app.trashed_at", "is", null),
    "app.project_id",
  )
    .select("app.slug")
    .where("app.org_id", "=", orgId)
    .where((eb) => eb.or([eb("app.id", "in", [...names]), eb("app.slug", "in", [...names])]))
    .execute();
  return new Map(rows.flatMap((row) => [[row.id, row] as const, [row.slug, row] as const]));
}

/** Finds webhooks by ids. */
export async function webhooksNamed(db: Reader, orgId: string, ids: readonly string[]): Promise<Map<string, Owned>> {
  if (ids.length === 0) return new Map();
  const hooks = db.selectFrom("webhook").select(["webhook.id", "webhook.org_id", "webhook.project_id"]);
  const rows = await withProject(hooks, "webhook.project_id")
    .where("webhook.org_id", "=", orgId)
    .where("webhook.deleted_at", "is", null)
    .where("webhook.id", "in", [...ids])
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** Returns slugs by the ids of apps. An app in the trash has its former one. */
export async function appSlugs(db: Reader, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("app")
    .select((eb) => ["id", eb.fn.coalesce("former_slug", "slug").as("slug")])
    .where("id", "in", [...ids])
    .execute();
  return new Map(rows.map(({ id, slug }) => [id, slug]));
}
