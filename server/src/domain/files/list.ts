import type { Principal } from "#domain/identity/index.ts";
import { knownProjects } from "#domain/organizations/index.ts";
import type { MetadataStore, Reader } from "#stores/metadata/index.ts";
import { nameOf, usageRows, type FileRow } from "./store.ts";

export interface FileListing {
  readonly limit: number;
  readonly offset: number;
  readonly prefix?: string | undefined;
  /** Only those of this project, which the principal must be allowed to see. */
  readonly projectId?: string | undefined;
}

export interface FilePage {
  readonly files: FileRow[];
  /** On all pages. */
  readonly total: number;
}

/** Which of an organization's places are meant. */
export interface Places {
  readonly orgId: string;
  /** This project only. */
  readonly projectId: string | undefined;
  /** No project of these. */
  readonly hidden: readonly string[];
}

/** Which of its files. */
interface Selection extends Places {
  readonly prefix: string | undefined;
  /** Goes by time and looks at names, instead of going by names and sorting what is found by time. */
  readonly walks?: boolean;
}

/** What a file that is found by name costs, in files that are looked at by time: little while few are kept in order. */
const FOUND_COST = { few: 0.25, many: 7 };
const FEW = 1000;

/** The files that the principal may see, newest first. */
export async function listFiles(
  deps: { readonly metadata: Pick<MetadataStore, "read"> },
  principal: Principal,
  listing: FileListing,
): Promise<FilePage> {
  const db = deps.metadata.read;
  const selection: Selection = { ...(await placesOf(deps, principal, listing.projectId)), prefix: listing.prefix };
  const counted = await counters(db, selection);
  const total = selection.prefix === undefined ? counted : await countPrefix(db, selection);
  const { limit, offset } = listing;
  if (offset >= total) return { files: [], total };
  // The later half is nearer from the other end.
  const isFar = offset > total / 2;
  const length = Math.min(limit, total - offset);
  const page = isFar
    ? { order: "asc" as const, limit: length, offset: total - offset - length }
    : { order: "desc" as const, limit, offset };
  const files = await rows(db, { ...selection, walks: isWalkLess(page.offset + page.limit, total, counted) }, page);
  return { files: isFar ? files.toReversed() : files, total };
}

/** Where the principal may see files: everywhere but in hidden projects, or in one project. */
export async function placesOf(
  deps: { readonly metadata: Pick<MetadataStore, "read"> },
  principal: Principal,
  named: string | undefined,
): Promise<Places> {
  const bound = principal.kind === "credential" ? principal.projectId : null;
  const projectId = named ?? bound ?? undefined;
  const hidden = projectId === undefined ? [...(await knownProjects(deps.metadata, principal)).hidden] : [];
  return { orgId: principal.orgId, projectId, hidden };
}

/** Whether `sorted` of `found` files are sooner met by going through all of them by time than sorted out of those found. */
function isWalkLess(sorted: number, found: number, all: number): boolean {
  return sorted * (all / found) <= found * (sorted > FEW ? FOUND_COST.many : FOUND_COST.few);
}

/** In an index alone: 50 ns for each of them. */
async function countPrefix(db: Reader, selection: Selection): Promise<number> {
  const query = selected(db, selection).select((eb) => eb.fn.countAll<number>().as("count"));
  return Number((await query.executeTakeFirstOrThrow()).count);
}

/** Files with any name. */
async function counters(db: Reader, { orgId, projectId, hidden }: Selection): Promise<number> {
  const isCounted = (place: string): boolean =>
    projectId === undefined ? !hidden.includes(place) : place === projectId;
  const usage = await usageRows(db, orgId);
  return usage.filter(({ place }) => isCounted(place)).reduce((sum, { files }) => sum + files, 0);
}

/** The page is found in an index alone, however far it is, and its rows are read then. */
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

/** Files of a selection, which no column is chosen of yet. */
export function selected(db: Reader, { orgId, projectId, hidden, prefix, walks = false }: Selection) {
  const end = prefix === undefined ? undefined : endOfPrefix(prefix);
  return db
    .selectFrom("file")
    .where("org_id", "=", orgId)
    .$if(projectId !== undefined, (query) => query.where("project_id", "=", projectId ?? ""))
    .$if(hidden.length > 0, (query) =>
      query.where((eb) => eb.or([eb("project_id", "is", null), eb("project_id", "not in", [...hidden])])),
    )
    .$if(prefix !== undefined, (query) => query.where((eb) => eb(nameOf(eb, walks), ">=", prefix ?? "")))
    .$if(end !== undefined, (query) => query.where((eb) => eb(nameOf(eb, walks), "<", end ?? "")));
}

const LAST_CODE_POINT = 0x10ffff;
const SURROGATES = { first: 0xd800, last: 0xdfff };

/** The first text behind all that begin with the prefix, by bytes of UTF-8; undefined when there is none. */
export function endOfPrefix(prefix: string): string | undefined {
  const points = Array.from(prefix, (char) => char.codePointAt(0) ?? 0);
  while (points.at(-1) === LAST_CODE_POINT) points.pop();
  const last = points.pop();
  if (last === undefined) return undefined;
  const next = last + 1 === SURROGATES.first ? SURROGATES.last + 1 : last + 1;
  return String.fromCodePoint(...points, next);
}
