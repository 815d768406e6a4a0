import type { Principal } from "#domain/identity/index.ts";
import type { MetadataStore, Reader } from "#stores/metadata/index.ts";
import { placesOf, selected, type Places } from "./list.ts";
import type { FileRow } from "./store.ts";

/** The newest file of a name in a place. */
export interface NamedFile extends FileRow {
  /** Files of this name in this place, this one included. */
  readonly versions: number;
}

/** Where a page begins: behind this name in this place. */
export interface NamePosition {
  readonly filename: string;
  /** A project's id; empty: the organization. */
  readonly place: string;
}

export interface NameListing {
  readonly limit: number;
  readonly after: NamePosition | undefined;
  readonly prefix: string | undefined;
  readonly projectId: string | undefined;
}

/**
 * The names of the files that the principal may see, in order of their bytes, each with its newest file. By name and not by time: so a page costs what
 * is on it, however many files there are.
 */
export async function listNames(
  deps: { readonly metadata: Pick<MetadataStore, "read"> },
  principal: Principal,
  { limit, after, prefix, projectId }: NameListing,
): Promise<{ files: NamedFile[]; next: NamePosition | undefined }> {
  const places = await placesOf(deps, principal, projectId);
  const found = await newest(deps.metadata.read, { ...places, prefix }, after, limit + 1);
  const files = found.slice(0, limit).map((file) => ({ ...file, versions: Number(file.versions) }));
  const last = found.length > limit ? files.at(-1) : undefined;
  return { files, next: last === undefined ? undefined : { filename: last.filename, place: last.project_id ?? "" } };
}

async function newest(
  db: Reader,
  selection: Places & { readonly prefix: string | undefined },
  after: NamePosition | undefined,
  count: number,
): Promise<NamedFile[]> {
  const { filename = "", place = "" } = after ?? {};
  // One more: the name that the page begins behind may have no other place.
  const names = selected(db, selection)
    .select("filename")
    .distinct()
    .where("filename", ">=", filename)
    .orderBy("filename")
    .limit(count + 1);
  const ranked = selected(db, selection)
    .where("filename", "in", names)
    .select((eb) => [
      "id",
      eb.fn
        .countAll<number>()
        .over((over) => over.partitionBy(["filename", "project_id"]))
        .as("versions"),
      eb.fn
        .agg<number>("row_number")
        .over((over) =>
          over.partitionBy(["filename", "project_id"]).orderBy("created_at", "desc").orderBy("id", "desc"),
        )
        .as("rank"),
    ]);
  return db
    .selectFrom(ranked.as("ranked"))
    .innerJoin("file", "file.id", "ranked.id")
    .selectAll("file")
    .select("ranked.versions")
    .where("ranked.rank", "=", 1)
    .$if(after !== undefined, (query) =>
      query.where((eb) =>
        eb.or([
          eb("file.filename", ">", filename),
          eb.and([eb("file.filename", "=", filename), eb(eb.fn.coalesce("file.project_id", eb.val("")), ">", place)]),
        ]),
      ),
    )
    .orderBy("file.filename")
    .orderBy((eb) => eb.fn.coalesce("file.project_id", eb.val("")))
    .limit(count)
    .execute();
}
