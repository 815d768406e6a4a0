import { setTimeout as delay } from "node:timers/promises";

/** Named phases of the start. When one fails, the phases that have started are stopped. */
export interface Phases {
  /** @param deadlineMs after this time the stop continues with the next phase, and leaves this part behind */
  started<T>(name: string, part: T, stop: (part: T) => Promise<void> | void, deadlineMs?: number): T;
  /** Stops all in the reverse order. Returns the names of the parts that did not stop in time. */
  stop(): Promise<readonly string[]>;
}

/** A part needs milliseconds, except while it waits for a request or for a child process. */
export const PHASE_STOP_MS = 5000;
const OVERDUE = Symbol("overdue");

interface Log {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

interface Phase {
  readonly name: string;
  readonly deadlineMs: number;
  readonly stop: () => Promise<void> | void;
}

export function createPhases(log: Log): Phases {
  const started: Phase[] = [];
  return {
    started: (name, part, stop, deadlineMs = PHASE_STOP_MS) => {
      started.push({ name, deadlineMs, stop: () => stop(part) });
      return part;
    },
    stop: async () => {
      const left: string[] = [];
      for (let phase = started.pop(); phase !== undefined; phase = started.pop())
        if (!(await stopPhase(phase, log))) left.push(phase.name);
      return left;
    },
  };
}

/** Returns false if the part did not stop in time. A part that fails is stopped: the next start mends it. */
async function stopPhase({ name, deadlineMs, stop }: Phase, log: Log): Promise<boolean> {
  const began = performance.now();
  const fields = (): object => ({ phase: name, ms: Math.round(performance.now() - began) });
  log.info({ phase: name, deadline_ms: deadlineMs }, "stopping a part");
  const abort = new AbortController();
  const overdue = delay(deadlineMs, OVERDUE, { signal: abort.signal });
  overdue.catch(() => {}); // Ended below.
  try {
    const isOverdue = (await Promise.race([stop(), overdue])) === OVERDUE;
    if (isOverdue)
      log.error({ ...fields(), deadline_ms: deadlineMs }, "a part did not stop in time and is left behind");
    else log.info(fields(), "stopped a part");
    return !isOverdue;
  } catch (error) {
    log.error({ err: error, ...fields() }, "cannot stop a part cleanly");
    return true;
  } finally {
    abort.abort();
  }
}
