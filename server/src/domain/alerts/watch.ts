import { organizationForbids } from "#domain/suspension/index.ts";
import { newId } from "#kernel/ids.ts";
import type { Clock } from "#kernel/time.ts";
import type { Job, JobHandler, JobOutcome, Jobs } from "#stores/jobs/index.ts";
import type { Writer } from "#stores/metadata/index.ts";
import { evaluate, windowOf, type EvaluateDeps, type Window } from "./evaluate.ts";
import { advance, type Step } from "./machine.ts";
import { messageOf } from "./messages.ts";
import { stateOf, type AlertProgress, type AlertSettings, type Outcome } from "./model.ts";
import { enqueue } from "./outbox.ts";
import { alertById, countUp, insertEvaluation, setAlert, type Alert } from "./store.ts";

export interface WatchDeps extends EvaluateDeps {
  readonly clock: Clock;
  readonly jobs: Jobs;
}

export const EVALUATE = "alert.evaluate";

const RETRY_MS = 5000;
/** Twice the longest `every_s`. */
const WAIT_MS_MAX = 2 * 86_400_000;

/** Evaluates alerts. A run of the job is one evaluation. Its result is written in the transaction that ends the run. */
export function evaluationHandler(deps: WatchDeps): JobHandler {
  return {
    kind: EVALUATE,
    concurrency: 4,
    concurrencyPerGroup: 2,
    waitMsMax: WAIT_MS_MAX,
    waits: (orgId) => organizationForbids(deps.metadata.read, orgId, "alerts:evaluate"),
    run: (job) => watch(deps, job),
    retryMs: () => RETRY_MS,
  };
}

async function watch(deps: WatchDeps, job: Job): Promise<JobOutcome> {
  const alert = await alertById(deps.metadata.read, job.group, job.key);
  if (alert === undefined || alert.enabled !== 1) return { dueAtMs: null };
  const settings = JSON.parse(alert.settings) as AlertSettings;
  const startedMs = deps.clock.nowMs();
  const window = windowOf(settings, startedMs);
  const outcome = await evaluate(deps, alert, settings, { window, signal: job.signal });
  const nowMs = deps.clock.nowMs();
  const before = JSON.parse(alert.progress) as AlertProgress;
  const step = advance(before, outcome, { settings, nowMs, newIncident: () => newId("inc", nowMs) });
  const written = { settings, outcome, step, window, startedMs, nowMs };
  return {
    dueAtMs: nextDue(job.dueAtMs, settings.every_s * 1000, nowMs),
    commit: (tx) => write(deps, tx, alert, written),
  };
}

/** Returns the next future time of the schedule. Missed times are skipped. */
export function nextDue(dueAtMs: number, everyMs: number, nowMs: number): number {
  const missed = Math.max(0, Math.floor((nowMs - dueAtMs) / everyMs));
  return dueAtMs + (missed + 1) * everyMs;
}

interface Written {
  readonly settings: AlertSettings;
  readonly outcome: Outcome;
  readonly step: Step;
  readonly window: Window;
  readonly startedMs: number;
  readonly nowMs: number;
}

/**
 * Writes the result. The alert has not changed since it was read, because a change takes the job away from this run.
 */
async function write(deps: WatchDeps, tx: Writer, alert: Alert, written: Written): Promise<void> {
  const { settings, outcome, step, window, startedMs, nowMs } = written;
  const { progress, events } = step;
  const numbers = await countUp(tx, alert.id, { evaluations: 1, deliveries: events.length });
  if (numbers === undefined) return;
  await setAlert(tx, alert.id, { progress: JSON.stringify(progress) });
  await insertEvaluation(tx, {
    alert_id: alert.id,
    seq: numbers.evaluations,
    at: startedMs,
    outcome: outcome.kind,
    state: stateOf(progress, true),
    value: JSON.stringify(progress.value),
    error: progress.fault === null ? null : JSON.stringify(progress.fault),
    elapsed_ms: nowMs - startedMs,
  });
  for (const [i, type] of events.entries()) {
    const sequence = numbers.deliveries - events.length + i + 1;
    const body = messageOf(alert, type, { settings, progress, sequence, atMs: nowMs, window });
    await enqueue(deps.jobs, tx, { alertId: alert.id, orgId: alert.org_id, seq: sequence, type, body, atMs: nowMs });
  }
}
