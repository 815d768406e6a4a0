import type { Principal } from "#domain/identity/index.ts";
import type { MetadataStore, Reader } from "#stores/metadata/index.ts";
import { placesOf } from "./places.ts";
import { selectedNames, type NameSelection } from "./name-store.ts";
import type { FileRow } from "./store.ts";

/** The newest file with a name in a place. */
export interface NamedFile extends FileRow {
  /** The number of files with this name in this place, including this one. */
  readonly versions: number;
}

/** A page begins after this name in this place. */
export interface NamePosition {
  readonly filename: string;
  /** A project's id. Empty: the organization. */
  readonly place: string;
}

export interface NameListing {
  readonly limit: number;
  readonly after: NamePosition | undefined;
  readonly prefix: string | undefined;
  readonly projectId: string | undefined;
}

/**
 * Lists the names of files that the principal may see, in the order of their bytes, each with its newest file. The
 * order is not by time, so that the cost of a page does not grow with the number of files.
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
  selection: NameSelection,
  after: NamePosition | undefined,
  count: number,
): Promise<NamedFile[]> {
  const { filename = "", place = "" } = after ?? {};
  const names = selectedNames(db, selection)
    .$if(after !== undefined, (query) =>
      query.where((eb) => eb(eb.refTuple("filename", "place"), ">", eb.tuple(filename, place))),
    )
    .select((eb) => {
      const ofName = eb
        .selectFrom("file as f")
        .select("f.id")
        .whereRef("f.org_id", "=", "file_name.org_id")
        .whereRef("f.filename", "=", "file_name.filename")
        // The value is the same in all rows. PostgreSQL uses the order of the index only with this column, because it
        // does not treat "is null" as an equality.
        .orderBy("f.project_id", "desc")
        .orderBy("f.created_at", "desc")
        .orderBy("f.id", "desc")
        .limit(1);
      // Each half is the end of one range of the index. With a single condition for both, PostgreSQL would not use the
      // index.
      const newestId = eb
        .case()
        .when("place", "=", "")
        .then(ofName.where("f.project_id", "is", null))
        .else(ofName.whereRef("f.project_id", "=", "file_name.place"))
        .end();
      return ["files", newestId.as("newest_id")];
    })
    .orderBy("filename")
    .orderBy("place")
    .limit(count);
  return db
    .selectFrom(names.as("names"))
    .innerJoin("file", "file.id", "names.newest_id")
    .selectAll("file")
    .select("names.files as versions")
    .orderBy("file.filename")
    .orderBy((eb) => eb.fn.coalesce("file.project_id", eb.val("")))
    .execute();
}
