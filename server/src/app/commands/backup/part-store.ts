import type { MovePart } from "#domain/moves/index.ts";
import type { Reader } from "#stores/metadata/index.ts";
import type { PartName } from "../../backup/index.ts";

export interface FoundPart {
  readonly organization: { readonly id: string; readonly slug: string };
  /** Undefined: the whole organization. */
  readonly part: MovePart | undefined;
}

/** Finds a part in the records of a backup. @throws Error when it is not there */
export async function findPart(db: Reader, { kind, organization: slug, name }: PartName): Promise<FoundPart> {
  if (kind === "file") return findFile(db, name ?? "");
  const organizations = db.selectFrom("organization").select(["id", "slug"]);
  const organization = await organizations.where("slug", "=", slug ?? "").executeTakeFirst();
  if (organization === undefined) throw new Error(`the backup has no organization ${slug ?? ""}`);
  if (kind === "organization") return { organization, part: undefined };
  const rows = db.selectFrom(kind === "project" ? "project" : "app").select(["id", "slug"]);
  const found = await rows
    .where("org_id", "=", organization.id)
    .where((eb) => eb.or([eb("slug", "=", name ?? ""), eb("id", "=", name ?? "")]))
    .executeTakeFirst();
  if (found === undefined) throw new Error(`the backup has no ${kind} ${name ?? ""} in ${organization.slug}`);
  return { organization, part: { kind, id: found.id, name: found.slug } };
}

async function findFile(db: Reader, id: string): Promise<FoundPart> {
  const found = await db
    .selectFrom("file")
    .innerJoin("organization", "organization.id", "file.org_id")
    .select(["file.filename", "organization.id as orgId", "organization.slug"])
    .where("file.id", "=", id)
    .executeTakeFirst();
  if (found === undefined) throw new Error(`the backup has no file ${id}`);
  const { filename, orgId, slug } = found;
  return { organization: { id: orgId, slug }, part: { kind: "file", id, name: filename } };
}
