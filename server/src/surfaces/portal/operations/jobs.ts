import type { PORTAL_ROUTES, ResultOf } from "@mooring/contract";
import { auditInstance } from "#domain/people/index.ts";
import { Problem } from "#kernel/problem.ts";
import { isoFromMs } from "#kernel/time.ts";
import {
  jobKinds,
  lastRunOfKind,
  makeKindDue,
  PERIODIC_WORK,
  QUEUE_KINDS,
  unparkJobs,
  type PeriodicRow,
  type WorkState,
} from "#stores/jobs/index.ts";
import type { PortalOperation, PortalSurfaceDeps } from "../deps.ts";
import { originOf } from "../origin.ts";

type Listed = ResultOf<typeof PORTAL_ROUTES.listJobs>;
type JobKind = Awaited<ReturnType<typeof jobKinds>>[number];

const ROWS: readonly PeriodicRow[] = Object.values(PERIODIC_WORK);

export const listJobs: PortalOperation<"listJobs"> = async (deps, _input, { reply }) => {
  void reply.header("cache-control", "no-store");
  const kinds = await jobKinds(deps.metadata.read);
  const periodic: Listed["periodic"] = [];
  for (const work of deps.schedule.list()) periodic.push(await periodicView(deps, work, kinds));
  return { periodic, queued: kinds.map(queuedView) };
};

async function periodicView(
  { metadata }: Pick<PortalSurfaceDeps, "metadata">,
  work: WorkState,
  kinds: readonly JobKind[],
): Promise<Listed["periodic"][number]> {
  const { name, does, on, setting, everyMs, runningSinceMs, nextAtMs } = work;
  const queued = kinds.find(({ kind }) => kind === work.kind);
  const last = work.kind === undefined ? work.last : await lastRunOfKind(metadata.read, work.kind);
  return {
    name,
    does,
    on: on === "one node" ? "one_node" : "each_node",
    setting: setting ?? null,
    every_ms: everyMs,
    running_since: timeOf(runningSinceMs),
    is_running: runningSinceMs !== null || (queued?.running ?? 0) > 0,
    next_at: timeOf(queued?.nextAtMs ?? nextAtMs),
    last:
      last === null
        ? null
        : { started_at: isoFromMs(last.startedMs), duration_ms: last.durationMs, failure: last.failure },
  };
}

function queuedView({ nextAtMs, lastError, isCut, ...counts }: JobKind): Listed["queued"][number] {
  return {
    ...counts,
    does: QUEUE_KINDS[counts.kind] ?? ROWS.find(({ kind }) => kind === counts.kind)?.does ?? null,
    ...(isCut ? { is_lower_bound: true as const } : {}),
    next_at: timeOf(nextAtMs),
    last_error: lastError,
  };
}

function timeOf(ms: number | null): string | null {
  return ms === null ? null : isoFromMs(ms);
}

/** Runs periodic work now. The server runs all of it at its own times too, so an extra run does no harm. */
export const runJob: PortalOperation<"runJob"> = async (deps, { params: { name } }, context) => {
  if (!deps.schedule.begin(name) && !(await runQueued(deps, name)))
    throw new Problem("not_found", "There is no periodic work of this name, and no parked job of this kind.");
  const event = { action: "job.run", target: { kind: "job", id: name }, detail: {} };
  await auditInstance(deps.people, context.operator, event, originOf(context));
  return undefined;
};

/**
 * Makes jobs due: those of periodic work that one node does (perhaps none), or the parked jobs of a kind. Returns false
 * when there is no such work.
 */
function runQueued({ metadata, clock }: PortalSurfaceDeps, name: string): Promise<boolean> {
  const row: PeriodicRow | undefined = Object.entries(PERIODIC_WORK).find(([work]) => work === name)?.[1];
  return metadata.write(async (tx) => {
    const nowMs = clock.nowMs();
    const kind = row?.kind;
    const count = kind === undefined ? await unparkJobs(tx, name, nowMs) : await makeKindDue(tx, kind, nowMs);
    if (count > 0) await metadata.notify(tx, "job");
    return count > 0 || kind !== undefined;
  });
}
