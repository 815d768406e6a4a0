import type { GuardedClock } from "#kernel/deletions.ts";
import type { JobHandler, Jobs } from "#stores/jobs/index.ts";
import type { MetadataStore, Writer } from "#stores/metadata/index.ts";
import type { TrashKinds } from "./kinds.ts";
import { dueItems, type TrashRow } from "./store.ts";

/** The job that ends items. One node runs it at a time. */
export const END_TRASH = "trash.end";
const KEY = "all";
const EVERY_MS = 60_000;
const SOON_MS = 2000;
const BATCH = 100;

export interface EndDeps {
  readonly metadata: MetadataStore;
  readonly clock: GuardedClock;
  readonly kinds: TrashKinds;
  readonly log: { error(fields: object, message: string): void };
}

export function endTrashHandler(deps: EndDeps): JobHandler {
  return {
    kind: END_TRASH,
    everyMs: EVERY_MS,
    concurrency: 1,
    concurrencyPerGroup: 1,
    waitMsMax: 2 * EVERY_MS,
    run: async (job) => {
      const isWaiting = await endDue(deps, job.signal);
      return { dueAtMs: deps.clock.nowMs() + (isWaiting ? SOON_MS : EVERY_MS) };
    },
    retryMs: () => EVERY_MS,
  };
}

/** Makes the waiting job due now. A job that runs is not interrupted. */
export async function wakeEnd(jobs: Pick<Jobs, "wake">, tx: Writer): Promise<void> {
  await jobs.wake(tx, END_TRASH, [KEY]);
}

/** Creates the job, or makes it due now, at a start. */
export async function endSoon(jobs: Pick<Jobs, "put">, tx: Writer, nowMs: number): Promise<void> {
  await jobs.put(tx, { kind: END_TRASH, key: KEY, group: END_TRASH, dueAtMs: nowMs });
}

/**
 * Ends every due item once. An item that fails does not keep others from their end. Returns whether some wait for work
 * that another part does.
 */
export async function endDue(deps: EndDeps, signal: AbortSignal): Promise<boolean> {
  const nowMs = deps.clock.deletionTime("trash");
  let isWaiting = false;
  for (let after: TrashRow | undefined; ;) {
    const due = await dueItems(deps.metadata.read, nowMs, after, BATCH);
    for (const item of due) {
      signal.throwIfAborted();
      isWaiting = (await endOne(deps, item, signal)) || isWaiting;
    }
    after = due.at(-1);
    if (due.length < BATCH) return isWaiting;
  }
}

async function endOne({ kinds, log }: EndDeps, item: TrashRow, signal: AbortSignal): Promise<boolean> {
  try {
    return !(await kinds[item.kind].end(item, signal));
  } catch (error) {
    if (signal.aborted) throw error;
    log.error({ err: error, item: item.id, kind: item.kind }, "cannot end an item of the trash; it is retried later");
    return false;
  }
}
