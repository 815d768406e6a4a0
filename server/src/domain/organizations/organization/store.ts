import { SLUG_RESERVED_DAYS } from "@mooring/contract";
import { countProjects, joinProject } from "#domain/projects/index.ts";
import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";

export type Organization = Tables["organization"];

export async function organizationById(db: Reader, orgId: string): Promise<Organization | undefined> {
  return db.selectFrom("organization").selectAll().where("id", "=", orgId).executeTakeFirst();
}

export async function organizationBySlug(db: Reader, slug: string): Promise<Organization | undefined> {
  return db.selectFrom("organization").selectAll().where("slug", "=", slug).executeTakeFirst();
}

/**
 * Whether another organization had the slug before. It stays reserved, because image names and addresses contain it: as long
 * as the organization exists, and for some time after its deletion.
 */
export async function isReservedSlug(db: Reader, slug: string, nowMs: number, orgId?: string): Promise<boolean> {
  const former = await db.selectFrom("former_slug").select("org_id").where("slug", "=", slug).executeTakeFirst();
  if (former !== undefined) return former.org_id !== orgId;
  const deleted = db.selectFrom("deleted_organization").select("slug").where("slug", "=", slug);
  const others = deleted.where("deleted_at", ">", nowMs - RESERVED_MS).where("id", "!=", orgId ?? "");
  return (await others.executeTakeFirst()) !== undefined;
}

const RESERVED_MS = SLUG_RESERVED_DAYS * 24 * 3_600_000;

export async function oldestOrganization(db: Reader): Promise<Organization | undefined> {
  return db.selectFrom("organization").selectAll().orderBy("created_at").orderBy("id").limit(1).executeTakeFirst();
}

const PAGE = 200;

/** Yields all organizations of the server. */
export async function* allOrganizations(db: Reader): AsyncGenerator<Pick<Organization, "id" | "policy">> {
  for (let after = ""; ;) {
    const page = db.selectFrom("organization").select(["id", "policy"]).where("id", ">", after);
    const rows = await page.orderBy("id").limit(PAGE).execute();
    yield* rows;
    after = rows.at(-1)?.id ?? "";
    if (rows.length < PAGE) return;
  }
}

/** Returns the counts of the organization, including private projects. */
export async function countOrganization(
  db: Reader,
  orgId: string,
): Promise<{ members: number; projects: number; apps: number }> {
  const numberOf = async (rows: { executeTakeFirst(): Promise<{ count: unknown } | undefined> }): Promise<number> =>
    Number((await rows.executeTakeFirst())?.count ?? 0);
  const members = db
    .selectFrom("member")
    .select((eb) => eb.fn.countAll().as("count"))
    .where("org_id", "=", orgId);
  const apps = joinProject(db.selectFrom("app"), "app.project_id")
    .select((eb) => eb.fn.countAll().as("count"))
    .where("app.org_id", "=", orgId)
    .where("app.trashed_at", "is", null);
  return { members: await numberOf(members), projects: await countProjects(db, orgId), apps: await numberOf(apps) };
}

export async function insertOrganization(tx: Writer, row: Organization): Promise<void> {
  await tx.insertInto("organization").values(row).execute();
}

export async function setOrganization(
  tx: Writer,
  orgId: string,
  change: Pick<Organization, "name" | "token_lifetime_s" | "policy">,
): Promise<void> {
  await tx.updateTable("organization").set(change).where("id", "=", orgId).execute();
}
