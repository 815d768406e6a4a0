import { kept } from "#domain/idempotency/index.ts";
import { appendAudit } from "#domain/audit/index.ts";
import { enforceRecordLimit } from "#domain/limits/index.ts";
import { absent } from "#domain/identity/index.ts";
import { auditOrigin, listPage, type Caller, type Page, type PageQuery } from "#domain/organizations/index.ts";
import { newId } from "#kernel/ids.ts";
import type { Clock } from "#kernel/time.ts";
import type { MetadataStore, Writer } from "#stores/metadata/index.ts";
import { STORED_TABLES, TELEMETRY_TYPES, type ErasedTable, type ErasureMatch } from "#stores/telemetry/index.ts";
import type { TelemetryDeps } from "./policy.ts";
import {
  deleteErasures,
  erasureById,
  erasureRows,
  insertErasure,
  partsOf,
  statesOfWhole,
  withAccessLog,
  withFilesOf,
  WHOLE,
  type ErasurePartRow,
  type ErasureRow,
} from "./store.ts";

export interface ErasureInput {
  readonly types: readonly ErasedTable[];
  /** The range of `timestamp` in microseconds since the epoch. `toUs` is not in the range. Null: no limit. */
  readonly fromUs: number | null;
  readonly toUs: number | null;
  readonly match: ErasureMatch;
}

export type ErasureState = "pending" | "running" | "done" | "failed";

/** An erasure with its state in each telemetry directory. */
export interface Erasure {
  readonly row: ErasureRow;
  readonly parts: readonly ErasurePartRow[];
  readonly state: ErasureState;
}

export interface ErasureDeps extends TelemetryDeps {
  /** A keyed hash. The audit log can prove the request with it, without containing its values. */
  readonly digest: (text: string) => string;
}

/**
 * Asks every server that shares the database to erase matching rows. The values of `match` are kept until all servers
 * are done. The audit entry, which is kept for ever, has only their digest.
 */
export async function createErasure(
  deps: ErasureDeps,
  caller: Caller & { readonly createdBy: string },
  orgId: string,
  input: ErasureInput,
): Promise<Erasure> {
  const at = deps.clock.nowMs();
  const row: ErasureRow = {
    id: newId("era", at),
    org_id: orgId,
    types: JSON.stringify(input.types),
    from_us: input.fromUs,
    to_us: input.toUs,
    match: JSON.stringify(input.match),
    match_digest: deps.digest(canonical(input)),
    created_by: caller.createdBy,
    created_at: at,
    finished_at: null,
  };
  return deps.metadata.write(async (tx) => {
    await enforceRecordLimit(deps.metadata, tx, "erasures_max", orgId);
    await insertErasure(tx, row);
    await appendAudit(deps, tx, {
      ...auditOrigin(caller),
      orgId,
      action: "telemetry.erasure.create",
      target: { kind: "telemetry_erasure", id: row.id },
      detail: { types: input.types, match_digest: row.match_digest },
    });
    return kept(tx, await getErasure({ metadata: { ...deps.metadata, read: tx } }, orgId, row.id));
  });
}

/** Starts the erasure of a project's rows in the caller's transaction, when its time in the trash has ended. */
export async function eraseProjectRows(
  deps: Pick<ErasureDeps, "clock" | "digest">,
  tx: Writer,
  { id: projectId, orgId }: { readonly id: string; readonly orgId: string },
): Promise<string> {
  const at = deps.clock.nowMs();
  const input: ErasureInput = { types: TELEMETRY_TYPES, fromUs: null, toUs: null, match: { project_id: projectId } };
  const id = newId("era", at);
  await insertErasure(tx, {
    id,
    org_id: orgId,
    types: JSON.stringify(input.types),
    from_us: null,
    to_us: null,
    match: JSON.stringify(input.match),
    match_digest: deps.digest(canonical(input)),
    created_by: "system",
    created_at: at,
    finished_at: null,
  });
  return id;
}

/**
 * Starts the erasure of the columns about a deleted person in access logs and query logs. `orgIds`: the person's
 * organizations, because a new query log has no file yet.
 */
export async function erasePersonRows(
  { metadata, clock }: Pick<ErasureDeps, "metadata" | "clock">,
  { userId, orgIds: own }: { readonly userId: string; readonly orgIds: readonly string[] },
): Promise<void> {
  const found = [await withAccessLog(metadata.read), await withFilesOf(metadata.read, "query_log"), own];
  const orgIds = new Set(found.flat());
  const at = clock.nowMs();
  const all = { types: JSON.stringify(["access_log", "query_log"]), from_us: null, to_us: null };
  const match = { match: JSON.stringify({ actor_id: userId } satisfies ErasureMatch), match_digest: userId };
  await metadata.write(async (tx) => {
    for (const org_id of orgIds)
      await insertErasure(tx, {
        ...all,
        ...match,
        id: newId("era", at),
        org_id,
        created_by: "system",
        created_at: at,
        finished_at: null,
      });
  });
}

/**
 * Returns the number of rows that an erasure has erased. "running": it is not complete. "failed": it must be repeated,
 * also if the organization moved here after it began.
 */
export async function rowsErased(
  deps: Pick<TelemetryDeps, "metadata">,
  orgId: string,
  id: string,
): Promise<number | "running" | "failed"> {
  if ((await erasureById(deps.metadata.read, orgId, id)) === undefined) return "failed";
  const { state, parts } = await getErasure(deps, orgId, id);
  if (state === "failed") return state;
  return state === "done" ? parts.reduce((sum, part) => sum + part.rows_erased, 0) : "running";
}

/** @throws Problem `not_found` */
export async function getErasure(deps: Pick<TelemetryDeps, "metadata">, orgId: string, id: string): Promise<Erasure> {
  const row = await erasureById(deps.metadata.read, orgId, id);
  if (row === undefined) throw absent();
  return erasureOf(row, await partsOf(deps.metadata.read, orgId, [id]));
}

/** Lists erasures, newest first. @throws Problem `invalid_parameter` for a foreign cursor */
export async function listErasures(
  deps: Pick<TelemetryDeps, "metadata">,
  orgId: string,
  query: PageQuery,
): Promise<Page<Erasure>> {
  const page = await listPage(
    query,
    (wanted) => erasureRows(deps.metadata.read, orgId, wanted),
    (row) => row.id,
  );
  const parts = await partsOf(
    deps.metadata.read,
    orgId,
    page.items.map((row) => row.id),
  );
  const byErasure = Map.groupBy(parts, (part) => part.erasure_id);
  return { ...page, items: page.items.map((row) => erasureOf(row, byErasure.get(row.id) ?? [])) };
}

function erasureOf(row: ErasureRow, parts: readonly ErasurePartRow[]): Erasure {
  return { row, parts, state: stateOf(parts.map((part) => part.state)) };
}

/** The erasure has failed when one server failed. It is done when all servers are done. */
function stateOf(states: readonly ErasureState[]): ErasureState {
  if (states.includes("failed")) return "failed";
  if (states.every((state) => state === "done")) return "done";
  return states.every((state) => state === "pending") ? "pending" : "running";
}

/** Returns equal text for equal requests, with their members in any order. */
function canonical(input: ErasureInput): string {
  return JSON.stringify([[...input.types].toSorted(), input.fromUs, input.toUs, sorted(input.match)]);
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return members.map(([name, member]) => [name, sorted(member)]);
}

const EVERYTHING = JSON.stringify({ everything: true } satisfies ErasureMatch);

/**
 * Erases all rows of a deleted organization. Returns whether every server has done it. The first call starts the erasure,
 * and a call after a failure starts it again.
 */
export async function dropOrganizationRows(
  deps: { readonly metadata: MetadataStore; readonly clock: Clock },
  orgId: string,
): Promise<boolean> {
  return deps.metadata.write(async (tx) => {
    const states = await statesOfWhole(tx, orgId);
    if (states !== undefined && states.every((state) => state === "done")) return true;
    if (states !== undefined && !states.includes("failed")) return false;
    await deleteErasures(tx, orgId);
    const at = deps.clock.nowMs();
    const of = { id: newId("era", at), org_id: orgId, types: JSON.stringify(STORED_TABLES) };
    const all = { from_us: null, to_us: null, match: EVERYTHING, match_digest: WHOLE };
    await insertErasure(tx, { ...of, ...all, created_by: "system", created_at: at, finished_at: null });
    return false;
  });
}
