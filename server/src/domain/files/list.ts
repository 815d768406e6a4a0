import type { Principal } from "#domain/identity/index.ts";
import { FILE_NAMES_COUNTED_MAX } from "#kernel/limits.ts";
import { usageRows } from "#domain/quotas/index.ts";
import type { MetadataStore, Reader } from "#stores/metadata/index.ts";
import { countFiles } from "./name-store.ts";
import { endOfPrefix, isOfPlaces, nonEmpty, placesOf, type Places } from "./places.ts";
import { nameOf, type FileRow } from "./store.ts";

export interface FileListing {
  readonly limit: number;
  readonly offset: number;
  readonly prefix?: string | undefined;
  /** Only files of this project. The principal must be allowed to see it. */
  readonly projectId?: string | undefined;
}

export interface FileList extends FilePage {
  /** More names match the prefix than are counted. */
  readonly isCut: boolean;
}

export interface FilePage {
  readonly files: FileRow[];
  /** The number of files on all pages. */
  readonly total: number;
}

interface Selection extends Places {
  readonly prefix: string | undefined;
  /** Read files by time and filter by name, instead of finding names first and sorting their files by time. */
  readonly walks?: boolean;
}

/**
 * The cost of a file that is found by name, relative to a file that is read by time. A sort of few files costs little.
 */
const FOUND_COST = { few: 0.25, many: 7 };
const FEW = 1000;

/** Lists the files that the principal may see, newest first. */
export async function listFiles(
  deps: { readonly metadata: Pick<MetadataStore, "read"> },
  principal: Principal,
  listing: FileListing,
): Promise<FileList> {
  const db = deps.metadata.read;
  const selection: Selection = { ...(await placesOf(deps, principal, listing.projectId)), prefix: listing.prefix };
  const counted = await counters(db, selection);
  const { files: total, isCut } =
    selection.prefix === undefined
      ? { files: counted, isCut: false }
      : await countFiles(db, selection, FILE_NAMES_COUNTED_MAX);
  const { limit, offset } = listing;
  if (isCut)
    return { files: await rows(db, { ...selection, walks: true }, { order: "desc", limit, offset }), total, isCut };
  if (offset >= total) return { files: [], total, isCut };
  // A page in the later half is reached faster from the other end.
  const isFar = offset > total / 2;
  const length = Math.min(limit, total - offset);
  const page = isFar
    ? { order: "asc" as const, limit: length, offset: total - offset - length }
    : { order: "desc" as const, limit, offset };
  const files = await rows(db, { ...selection, walks: isWalkLess(page.offset + page.limit, total, counted) }, page);
  return { files: isFar ? files.toReversed() : files, total, isCut };
}

/** Whether reading all files by time reaches the page sooner than sorting the files found by name. */
function isWalkLess(sorted: number, found: number, all: number): boolean {
  return sorted * (all / found) <= found * (sorted > FEW ? FOUND_COST.many : FOUND_COST.few);
}

/** Returns the number of files of any name. */
async function counters(db: Reader, places: Places): Promise<number> {
  const usage = await usageRows(db, "files", { org_id: places.orgId });
  return usage.filter(({ place }) => isOfPlaces(places, place)).reduce((sum, { files }) => sum + files, 0);
}

/** Finds the page in an index alone, and then reads only the rows of the page. */
async function rows(
  db: Reader,
  selection: Selection,
  page: { order: "asc" | "desc"; limit: number; offset: number },
): Promise<FileRow[]> {
  const { order, limit, offset } = page;
  const found = await selected(db, selection)
    .select("id")
    .orderBy("created_at", order)
    .orderBy("id", order)
    .limit(limit)
    .offset(offset)
    .execute();
  if (found.length === 0) return [];
  const ids = found.map(({ id }) => id);
  const files = await db.selectFrom("file").selectAll().where("id", "in", ids).execute();
  const byId = new Map(files.map((file) => [file.id, file]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Returns a query for the selected files, without columns. */
function selected(db: Reader, { orgId, projectId, hidden, only, prefix, walks = false }: Selection) {
  const end = prefix === undefined ? undefined : endOfPrefix(prefix);
  return db
    .selectFrom("file")
    .where("org_id", "=", orgId)
    .$if(projectId !== undefined, (query) => query.where("project_id", "=", projectId ?? ""))
    .$if(only !== null, (query) => query.where("project_id", "in", nonEmpty(only ?? [])))
    .$if(hidden.length > 0, (query) =>
      query.where((eb) => eb.or([eb("project_id", "is", null), eb("project_id", "not in", [...hidden])])),
    )
    .$if(prefix !== undefined, (query) => query.where((eb) => eb(nameOf(eb, walks), ">=", prefix ?? "")))
    .$if(end !== undefined, (query) => query.where((eb) => eb(nameOf(eb, walks), "<", end ?? "")));
}
