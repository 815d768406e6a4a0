import { appendAudit } from "#domain/audit/index.ts";
import { absent, authorize, forHarmless, type Principal } from "#domain/identity/index.ts";
import { auditOrigin, type Caller } from "#domain/organizations/index.ts";
import type { Clock } from "#kernel/time.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { RunningQueries, RunningQuery } from "#stores/telemetry/index.ts";
import { queryActorOf } from "./actor.ts";
import { NODE_LIVE_MS } from "./published.ts";
import { markCancelled, rowsElsewhere, type RunningQueryRow } from "./store.ts";

export interface QueriesDeps {
  readonly metadata: MetadataStore;
  readonly clock: Clock;
  readonly queries: RunningQueries;
  /** The id of this node in the records. */
  readonly nodeId: string;
}

/** A request of an authenticated actor. */
export type QueriesCaller = Caller & { readonly principal: Principal };

/** Whether the principal sees and cancels the queries of everybody in the organization. */
export function managesQueries(principal: Principal): boolean {
  return authorize(forHarmless(principal), "queries:manage", { orgId: principal.orgId }) === "allowed";
}

/** Lists the queries that wait or run, on all nodes, oldest first: the principal's own, or all if they manage them. */
export async function listRunning(deps: QueriesDeps, principal: Principal): Promise<RunningQuery[]> {
  const { metadata, clock, queries, nodeId } = deps;
  const { orgId } = principal;
  const elsewhere = await rowsElsewhere(metadata.read, orgId, { nodeId, seenSinceMs: clock.nowMs() - NODE_LIVE_MS });
  const all = [...queries.list(orgId), ...elsewhere.map(runningOf)];
  const own = queryActorOf(principal).id;
  const isSeen = managesQueries(principal);
  return all.filter(({ origin }) => isSeen || origin.actor.id === own).toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/**
 * Cancels one query. On another node it ends within about a second.
 * @throws Problem `not_found`
 */
export async function cancelQuery(deps: QueriesDeps, caller: QueriesCaller, id: string): Promise<void> {
  const found = (await listRunning(deps, caller.principal)).find((query) => query.id === id);
  if (found === undefined) throw absent();
  await cancel(deps, caller, [found]);
}

/** Cancels every query of an actor that the principal sees. Returns the number. */
export async function cancelQueriesOf(deps: QueriesDeps, caller: QueriesCaller, actorId: string): Promise<number> {
  const found = (await listRunning(deps, caller.principal)).filter(({ origin }) => origin.actor.id === actorId);
  if (found.length > 0) await cancel(deps, caller, found);
  return found.length;
}

async function cancel(deps: QueriesDeps, caller: QueriesCaller, found: readonly RunningQuery[]): Promise<void> {
  const { metadata, queries } = deps;
  const { orgId } = caller.principal;
  const by = queryActorOf(caller.principal).id;
  const ended = new Set(
    queries.cancel(
      found.map(({ id }) => id),
      by,
    ),
  );
  const elsewhere = found.filter(({ id }) => !ended.has(id)).map(({ id }) => id);
  await metadata.write(async (tx) => {
    if (elsewhere.length > 0) {
      await markCancelled(tx, orgId, elsewhere, by);
      await metadata.notify(tx, "query");
    }
    for (const { id, origin } of found) {
      const detail = { actor_kind: origin.actor.kind, actor_id: origin.actor.id };
      const target = { kind: "query", id };
      await appendAudit(deps, tx, { ...auditOrigin(caller), orgId, action: "query.cancel", target, detail });
    }
  });
}

function runningOf(row: RunningQueryRow): RunningQuery {
  return {
    id: row.id,
    orgId: row.org_id,
    origin: {
      actor: { kind: row.actor_kind as RunningQuery["origin"]["actor"]["kind"], id: row.actor_id },
      surface: row.surface as RunningQuery["origin"]["surface"],
      requestId: row.request_id,
      savedQueryId: row.saved_query_id ?? undefined,
    },
    sql: row.statement,
    state: row.state as RunningQuery["state"],
    askedAtMs: row.asked_at,
    startedAtMs: row.started_at,
    rowsPlanned: row.rows_planned,
    bytesPlanned: row.bytes_planned,
  };
}
