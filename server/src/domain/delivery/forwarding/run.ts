import { setImmediate as nextTurn } from "node:timers/promises";
import { eventBySeq, eventsAfter, matcherOf, newestSeq, type EventRow } from "#domain/webhooks/index.ts";
import { organizationForbids } from "#domain/suspension/index.ts";
import type { Job, JobHandler, JobOutcome } from "#stores/jobs/index.ts";
import type { Reader } from "#stores/metadata/index.ts";
import { WAIT_MS_MAX } from "../attempts.ts";
import { signingSecrets } from "../secrets.ts";
import {
  destinationSettings,
  FAILURES_MAX,
  FORWARD,
  type DeliveryRow,
  type DestinationRow,
  type ForwardingDeps,
} from "./model.ts";
import { Paces } from "./pace.ts";
import { Progress } from "./progress.ts";
import { sendEvent } from "./send.ts";
import { destinationForRun, dueDeliveries, dueNoLater, firstPending, nextAttemptAt } from "./store.ts";

export type RunDeps = Omit<ForwardingDeps, "jobs"> & {
  /** From 0 to 1. */
  readonly random: () => number;
};

/** The number of concurrent requests to one destination if the order does not matter. */
const CONCURRENCY = 16;
const PAGE_EVENTS = 200;
const PAGE_RETRIES = 50;
/** The length of a run. Its results are written at its end, so after a crash only the events of one run are repeated. */
const RUN_MS = 1000;
/** A destination with `FAILURES_MAX` consecutive failures gets one event at each `PROBE_MS`. */
const PROBE_MS = 60_000;
/** An idle destination is checked at this interval, in case a notification about a new event was lost. */
const IDLE_MS = 60_000;
const RETRY_MS = 10_000;

/** Forwards events to destinations. Each destination is a job, and has a position in the events of its webhook. */
export function forwardingHandler(deps: RunDeps): JobHandler {
  const paces = new Paces();
  return {
    kind: FORWARD,
    concurrency: 16,
    concurrencyPerGroup: 8,
    waitMsMax: WAIT_MS_MAX,
    waits: (orgId) => organizationForbids(deps.metadata.read, orgId, "deliver"),
    run: (job) => new Run(deps, paces, job).go(),
    retryMs: () => RETRY_MS,
  };
}

interface SendLimits {
  readonly concurrency: number;
  /** The number of consecutive failures. */
  readonly failuresMax: number;
  readonly sendsMax?: number;
}

class Run {
  readonly #deps: RunDeps;
  readonly #paces: Paces;
  readonly #job: Job;
  readonly #untilMs: number;
  #secrets: readonly string[] | undefined;

  constructor(deps: RunDeps, paces: Paces, job: Job) {
    this.#deps = deps;
    this.#paces = paces;
    this.#job = job;
    this.#untilMs = performance.now() + RUN_MS;
  }

  async go(): Promise<JobOutcome> {
    const destination = await destinationForRun(this.#deps.metadata.read, this.#job);
    // Resuming the destination adds the job again, as every change does.
    if (destination === undefined || destination.deleted_at !== null || destination.state !== "active")
      return { dueAtMs: null };
    const { deleted_at: _, ...row } = destination;
    const progress = new Progress(this.#deps, row);
    const { ordered } = destinationSettings(row);
    const more = await (ordered ? this.#inOrder(row, progress) : this.#anyOrder(row, progress));
    return this.#outcome(row, progress, more);
  }

  /** Sends in the order of arrival. Returns true if more can be sent at once. */
  async #inOrder(row: DestinationRow, progress: Progress): Promise<boolean> {
    const { metadata, clock } = this.#deps;
    const pending = await firstPending(metadata.read, row.id);
    if (pending !== undefined) {
      // Later events wait for this one.
      if ((pending.next_attempt_at ?? 0) > clock.nowMs()) return false;
      await this.#retry(row, progress, [pending]);
      return progress.failures === 0;
    }
    return this.#sendNew(row, progress, { concurrency: 1, failuresMax: 1 });
  }

  async #anyOrder(row: DestinationRow, progress: Progress): Promise<boolean> {
    const { metadata, clock } = this.#deps;
    const isFailing = row.failures >= FAILURES_MAX;
    const due = await dueDeliveries(metadata.read, row.id, clock.nowMs(), isFailing ? 1 : PAGE_RETRIES);
    await this.#retry(row, progress, due);
    if (isFailing && progress.failures > 0) {
      // A probe with no failed event to retry uses the next new event.
      if (due.length === 0 && this.#isProbeDue(row))
        await this.#sendNew(row, progress, { concurrency: 1, sendsMax: 1, failuresMax: Number.MAX_SAFE_INTEGER });
      return progress.failures === 0;
    }
    // With a rate limit, each request waits for its turn. Further workers would get their turns after the run's end.
    const { rate_per_second: rate } = destinationSettings(row);
    const more = await this.#sendNew(row, progress, {
      concurrency: Math.min(CONCURRENCY, rate ?? CONCURRENCY),
      failuresMax: FAILURES_MAX,
    });
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

  /** Sends the events after the position, page by page. Returns true if there are more. */
  async #sendNew(
    row: DestinationRow,
    progress: Progress,
    { concurrency, failuresMax, sendsMax = Number.MAX_SAFE_INTEGER }: SendLimits,
  ): Promise<boolean> {
    const fits = filterOf(row);
    const pages = new Pages(this.#deps, row.webhook_id, row.position);
    let [taken, sent, isBroken] = [0, 0, false];
    const stops = (): boolean =>
      isBroken ||
      sent >= sendsMax ||
      performance.now() > this.#untilMs ||
      progress.stopped !== null ||
      progress.failures >= failuresMax;
    // A run always sends at least one new event, so that retries can't use up all of its time.
    const isOver = (): boolean => taken > 0 && stops();
    const worker = async (): Promise<void> => {
      while (!isOver() && (await pages.ready())) {
        const event = isOver() ? undefined : pages.take();
        if (event === undefined) continue; // The run is over, or another worker took the event.
        taken += 1;
        progress.position = event.seq; // Safe, because the run waits for the result of every taken event.
        if (!fits(event)) continue;
        sent += 1;
        progress.first(event, await this.#send(row, event));
      }
    };
    const guarded = (): Promise<void> =>
      worker().catch((error: unknown) => {
        isBroken = true;
        throw error;
      });
    for (const result of await Promise.allSettled(Array.from({ length: concurrency }, guarded)))
      if (result.status === "rejected") throw result.reason;
    return !pages.isAtEnd;
  }

  async #send(row: DestinationRow, event: EventRow) {
    const { signal } = this.#job;
    await this.#paces.turn(row.id, destinationSettings(row).rate_per_second, signal);
    const { envelope, clock } = this.#deps;
    this.#secrets ??= signingSecrets(envelope, "webhook_destination", row, clock.nowMs());
    return sendEvent(this.#deps, row, event, { secrets: this.#secrets, signal });
  }

  #outcome(row: DestinationRow, progress: Progress, more: boolean): JobOutcome {
    const { clock } = this.#deps;
    const nowMs = clock.nowMs();
    return {
      dueAtMs: more && progress.stopped === null ? nowMs : nowMs + IDLE_MS,
      commit: async (tx) => {
        await progress.write(tx);
        if (progress.stopped !== null || more) return;
        // Events that arrived during this run could not wake the job, because it was leased.
        const next = await this.#nextMs(tx, row, progress);
        await dueNoLater(tx, row.id, next);
      },
    };
  }

  async #nextMs(db: Reader, row: DestinationRow, progress: Progress): Promise<number> {
    const nowMs = this.#deps.clock.nowMs();
    const retryMs = (await nextAttemptAt(db, row.id)) ?? nowMs + IDLE_MS;
    const isBlocked = progress.failures >= FAILURES_MAX || (destinationSettings(row).ordered && progress.failures > 0);
    if (isBlocked) return Math.min(retryMs, nowMs + PROBE_MS);
    return (await newestSeq(db, row.webhook_id)) > progress.position && progress.failures === 0 ? nowMs : retryMs;
  }
}

/** The events of a webhook after a number, read in pages. */
class Pages {
  readonly #deps: Pick<RunDeps, "metadata">;
  readonly #webhookId: string;
  #after: number;
  #page: readonly EventRow[] = [];
  #next = 0;
  #isLast = false;
  #reading: Promise<void> | undefined;

  constructor(deps: Pick<RunDeps, "metadata">, webhookId: string, after: number) {
    this.#deps = deps;
    this.#webhookId = webhookId;
    this.#after = after;
  }

  /** Reads ahead. Returns false at the end. */
  async ready(): Promise<boolean> {
    if (this.#next === this.#page.length && !this.#isLast) await (this.#reading ??= this.#read());
    return !this.isAtEnd;
  }

  take(): EventRow | undefined {
    const event = this.#page[this.#next];
    if (event !== undefined) this.#next += 1;
    return event;
  }

  get isAtEnd(): boolean {
    return this.#isLast && this.#next === this.#page.length;
  }

  async #read(): Promise<void> {
    await nextTurn(); // SQLite reads never wait, so a filter that matches nothing would block the event loop here
    this.#page = await eventsAfter(this.#deps.metadata.read, this.#webhookId, this.#after, { limit: PAGE_EVENTS });
    this.#next = 0;
    this.#isLast = this.#page.length < PAGE_EVENTS;
    this.#after = this.#page.at(-1)?.seq ?? this.#after;
    this.#reading = undefined;
  }
}

function filterOf(row: DestinationRow): (event: EventRow) => boolean {
  const { types, header, pointer, text } = destinationSettings(row).filter;
  const fits = matcherOf({ header, pointer, text });
  return (event) => {
    if (types !== undefined && (event.type === null || !types.includes(event.type))) return false;
    return fits === undefined || fits(event);
  };
}
