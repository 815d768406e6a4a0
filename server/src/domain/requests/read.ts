import { REFUSALS_KEPT_DAYS } from "@mooring/contract";
import { authorize, heldScopes, oversees, type Principal } from "#domain/identity/index.ts";
import { projectsByNames } from "#domain/projects/index.ts";
import { decodeCursor, encodeCursor } from "#kernel/cursor.ts";
import type { Clock } from "#kernel/time.ts";
import type { MetadataStore, Reader } from "#stores/metadata/index.ts";
import type { RefusedRequests } from "./log.ts";
import type { RequestRecord } from "./record.ts";
import {
  countRepeats,
  findRequests,
  namesOfActors,
  oldestRequest,
  pageOfRequests,
  type Found,
  type Reach,
} from "./store.ts";

export interface RequestReadDeps {
  readonly metadata: Pick<MetadataStore, "read">;
  readonly clock: Clock;
  readonly requests: Pick<RefusedRequests, "find">;
}

/** A refused request, as a reader may see it. */
export interface SeenRequest {
  readonly id: string;
  readonly clientId: string | null;
  readonly atMs: number;
  readonly record: RequestRecord;
  readonly actorName: string | null;
  /** Further equal refusals within the minute. */
  readonly repeats: number;
}

const FOUND_MAX = 50;
const DAY_MS = 24 * 3_600_000;

/** Finds requests by the server's id or the caller's, newest first. */
export async function findRefused(deps: RequestReadDeps, reader: Principal, id: string): Promise<SeenRequest[]> {
  const reach = reachOf(reader);
  const stored = await findRequests(deps.metadata.read, reach, id, FOUND_MAX);
  const known = new Set(stored.map((found) => found.id));
  const fresh = deps.requests.find(reach, id).filter((found) => !known.has(found.id));
  const all = [...fresh, ...stored].toSorted((a, b) => b.at - a.at).slice(0, FOUND_MAX);
  return seenBy(deps.metadata.read, reader, reach, all);
}

/** Returns one page, newest first. @throws Problem `invalid_parameter` for a foreign cursor */
export async function listRefused(
  deps: RequestReadDeps,
  reader: Principal,
  { limit, cursor }: { readonly limit: number; readonly cursor: string | undefined },
): Promise<{ items: SeenRequest[]; nextCursor: string | null }> {
  const reach = reachOf(reader);
  const [atMs, tie] = cursor === undefined ? [undefined, ""] : decodeCursor(cursor, ["number", "string"]);
  const before = atMs === undefined ? undefined : { atMs, tie };
  const rows = await pageOfRequests(deps.metadata.read, reach, { before, limit: limit + 1 });
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const isLast = rows.length <= limit || last === undefined;
  return {
    items: await seenBy(deps.metadata.read, reader, reach, items),
    nextCursor: isLast ? null : encodeCursor([last.at, last.id]),
  };
}

/** Returns the time since which refused requests are kept. */
export async function keptSince({ metadata, clock }: RequestReadDeps): Promise<number> {
  const nowMs = clock.nowMs();
  return Math.max(nowMs - REFUSALS_KEPT_DAYS * DAY_MS, (await oldestRequest(metadata.read)) ?? nowMs);
}

function reachOf(reader: Principal): Reach {
  const { orgId } = reader;
  const actorId = reader.kind === "credential" ? (reader.ownerId ?? reader.id) : reader.id;
  return { orgId, actorId, all: authorize(reader, "audit:read", { orgId }) === "allowed" };
}

async function seenBy(db: Reader, reader: Principal, reach: Reach, found: readonly Found[]): Promise<SeenRequest[]> {
  const records = found.map(({ record }) => JSON.parse(record) as RequestRecord);
  const names = await namesOfActors(db, [...new Set(records.flatMap(({ actor }) => actor?.id ?? []))]);
  const repeats = await countRepeats(db, [...new Set(found.map(({ group }) => group))]);
  const projects = [...records.map(({ resource }) => resource), ...names.values()];
  const seen = await projectsSeen(db, reader, new Set(projects.flatMap((one) => one?.projectId ?? [])));
  return found.map(({ id, at, client_id: clientId, group }, i) => {
    const record = records[i] as RequestRecord;
    const projectId = record.resource?.projectId ?? null;
    const isSeen = projectId === null || seen.has(projectId);
    const shown = isSeen && (reach.all || record.resource?.isHidden !== true) ? record : withoutResource(record);
    const actor = names.get(shown.actor?.id ?? "");
    const isNamed = actor !== undefined && (actor.projectId === null || seen.has(actor.projectId));
    const actorName = isNamed ? actor.name : null;
    return { id, clientId, atMs: at, record: shown, actorName, repeats: repeats.get(group) ?? 0 };
  });
}

/** Returns those projects that the reader may see. */
async function projectsSeen(db: Reader, reader: Principal, ids: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const seen = new Set<string>();
  for (const project of await projectsByNames(db, reader.orgId, [...ids])) {
    const resource = { orgId: reader.orgId, project };
    const isSeen = heldScopes(reader, resource) !== undefined || oversees(reader, "projects:read", resource);
    if (isSeen) seen.add(project.id);
  }
  return seen;
}

/** What a reader gets who may not see the resource: the same as for an absent one, if its caller may not see it either. */
function withoutResource(record: RequestRecord): RequestRecord {
  const { resource } = record;
  const shown = { ...record, resource: null };
  if (resource?.isHidden === true)
    return {
      ...shown,
      rule: "absent",
      permission: null,
      held: null,
      lostAt: null,
      limit: null,
      policy: null,
      wouldAllow: [],
    };
  const wouldAllow = record.wouldAllow.map((step) => (step.to === resource?.projectId ? { ...step, to: null } : step));
  const actor = record.actor?.kind === "webhook" ? null : record.actor;
  return { ...shown, actor, policy: null, wouldAllow };
}
