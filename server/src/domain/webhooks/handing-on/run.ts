import type { Job, JobHandler, JobOutcome } from "#stores/jobs/index.ts";
import { matcherOf } from "../events.ts";
import { eventBySeq, eventsAfter, newestSeq } from "../events-store.ts";
import type { DeliveryDeps, EventRow } from "../types.ts";
import { destinationSettings, HAND_ON, type DeliveryRow, type DestinationRow } from "./model.ts";
import { Paces } from "./pace.ts";
import { Progress } from "./progress.ts";
import { sendEvent } from "./send.ts";
import { destinationForRun, dueDeliveries, dueNoLater, firstPending, nextAttemptAt } from "./store.ts";

export type RunDeps = Omit<DeliveryDeps, "jobs"> & {
  /** From 0 to 1. */
  readonly random: () => number;
};

/** Of one destination at once, where the order does not matter. */
const CONCURRENCY = 8;
const PAGE_EVENTS = 200;
const PAGE_RETRIES = 50;
/** A run ends after so long, and the next one goes on: what it did is then written. */
const RUN_MS = 3000;
/** After so many failures in a row one event at a time is tried, now and then. */
const FAILURES_MAX = 5;
const PROBE_MS = 60_000;
/** An idle destination is looked at so often, should the word of a new event have been lost. */
const IDLE_MS = 60_000;
const RETRY_MS = 10_000;
const WAIT_MS_MAX = 24 * 60 * 60 * 1000;

/** Hands events on to destinations: a job for each, which has a position in the events of its webhook. */
export function handOnHandler(deps: RunDeps): JobHandler {
  const paces = new Paces();
  return {
    kind: HAND_ON,
    concurrency: 16,
    concurrencyPerGroup: 8,
    waitMsMax: WAIT_MS_MAX,
    run: (job) => new Run(deps, paces, job).go(),
    retryMs: () => RETRY_MS,
  };
}

class Run {
  readonly #deps: RunDeps;
  readonly #paces: Paces;
  readonly #job: Job;
  readonly #untilMs: number;

  constructor(deps: RunDeps, paces: Paces, job: Job) {
    this.#deps = deps;
    this.#paces = paces;
    this.#job = job;
    this.#untilMs = performance.now() + RUN_MS;
  }

  async go(): Promise<JobOutcome> {
    const destination = await destinationForRun(this.#deps.metadata.read, this.#job);
    // Resuming puts the job anew, as every change does.
    if (destination === undefined || destination.deleted_at !== null || destination.state !== "active")
      return { dueAtMs: null };
    const { deleted_at: _, ...row } = destination;
    const progress = new Progress(this.#deps, row);
    const { ordered } = destinationSettings(row);
    const more = await (ordered ? this.#inOrder(row, progress) : this.#anyOrder(row, progress));
    return this.#outcome(row, progress, more);
  }

  /** True when there is more to do at once. */
  async #inOrder(row: DestinationRow, progress: Progress): Promise<boolean> {
    const { metadata, clock } = this.#deps;
    const pending = await firstPending(metadata.read, row.id);
    if (pending !== undefined) {
      // Whatever came after it waits for it.
      if ((pending.next_attempt_at ?? 0) > clock.nowMs()) return false;
      await this.#retry(row, progress, [pending]);
      return progress.failures === 0;
    }
    return this.#sendNew(row, progress, { concurrency: 1, limit: PAGE_EVENTS });
  }

  async #anyOrder(row: DestinationRow, progress: Progress): Promise<boolean> {
    const { metadata, clock } = this.#deps;
    const isFailing = row.failures >= FAILURES_MAX;
    const due = await dueDeliveries(metadata.read, row.id, clock.nowMs(), isFailing ? 1 : PAGE_RETRIES);
    await this.#retry(row, progress, due);
    if (isFailing && progress.failures > 0) {
      // One that has nothing to try again is asked by the next event whether it is back.
      if (due.length === 0 && this.#isProbeDue(row)) await this.#sendNew(row, progress, { concurrency: 1, limit: 1 });
      return progress.failures === 0;
    }
    const more = await this.#sendNew(row, progress, { concurrency: CONCURRENCY, limit: PAGE_EVENTS });
    return (more || due.length === PAGE_RETRIES) && progress.failures < FAILURES_MAX;
  }

  #isProbeDue(row: DestinationRow): boolean {
    return this.#deps.clock.nowMs() - (row.last_attempt_at ?? 0) >= PROBE_MS;
  }

  async #retry(row: DestinationRow, progress: Progress, due: readonly DeliveryRow[]): Promise<void> {
    for (const delivery of due) {
      if (performance.now() > this.#untilMs || progress.stopped !== null) return;
      const event = await eventBySeq(this.#deps.metadata.read, row.webhook_id, delivery.event_seq);
      if (event === undefined) progress.lost(delivery);
      else progress.again(delivery, await this.#send(row, event));
    }
  }

  /** Sends what is after the position; true when there is more. */
  async #sendNew(
    row: DestinationRow,
    progress: Progress,
    { concurrency, limit }: { concurrency: number; limit: number },
  ): Promise<boolean> {
    const events = await eventsAfter(this.#deps.metadata.read, row.webhook_id, row.position, { limit });
    const fits = filterOf(row);
    let next = 0;
    const stops = (): boolean =>
      performance.now() > this.#untilMs ||
      progress.stopped !== null ||
      progress.failures >= (concurrency === 1 ? 1 : FAILURES_MAX);
    const worker = async (): Promise<void> => {
      for (let event = events[next]; event !== undefined && !stopsBefore(next, stops); event = events[next]) {
        next += 1;
        if (fits(event)) progress.first(event, await this.#send(row, event));
      }
    };
    await Promise.all(Array.from({ length: concurrency }, worker));
    // Workers take events in turn, and each that was taken has come to an end.
    progress.position = events[next - 1]?.seq ?? row.position;
    return next < events.length || events.length === limit;
  }

  async #send(row: DestinationRow, event: EventRow) {
    const { signal } = this.#job;
    await this.#paces.turn(row.id, destinationSettings(row).rate_per_second, signal);
    return sendEvent(this.#deps, row, event, signal);
  }

  #outcome(row: DestinationRow, progress: Progress, more: boolean): JobOutcome {
    const { clock } = this.#deps;
    const nowMs = clock.nowMs();
    return {
      dueAtMs: more && progress.stopped === null ? nowMs : nowMs + IDLE_MS,
      commit: async (tx) => {
        await progress.write(tx);
        if (progress.stopped !== null || more) return;
        // What came while this ran found the job taken, and so did not wake it.
        const next = await this.#nextMs(tx, row, progress);
        await dueNoLater(tx, row.id, next);
      },
    };
  }

  async #nextMs(db: DeliveryDeps["metadata"]["read"], row: DestinationRow, progress: Progress): Promise<number> {
    const nowMs = this.#deps.clock.nowMs();
    const retryMs = (await nextAttemptAt(db, row.id)) ?? nowMs + IDLE_MS;
    const isBlocked = progress.failures >= FAILURES_MAX || (destinationSettings(row).ordered && progress.failures > 0);
    if (isBlocked) return Math.min(retryMs, nowMs + PROBE_MS);
    return (await newestSeq(db, row.webhook_id)) > progress.position && progress.failures === 0 ? nowMs : retryMs;
  }
}

/** The first of a run is always taken: one whose retries took all its time must come to new events, too. */
function stopsBefore(index: number, stops: () => boolean): boolean {
  return index > 0 && stops();
}

function filterOf(row: DestinationRow): (event: EventRow) => boolean {
  const { types, header, pointer, text } = destinationSettings(row).filter;
  const fits = matcherOf({ header, pointer, text });
  return (event) => {
    if (types !== undefined && (event.type === null || !types.includes(event.type))) return false;
    return fits === undefined || fits(event);
  };
}
