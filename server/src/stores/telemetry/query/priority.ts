import { readdir } from "node:fs/promises";
import { constants, setPriority } from "node:os";

/** A query that works for longer than this gets less of the processor than others. */
const LOWER_AFTER_MS = 5000;
/** Children have niceness 5, and ingestion 0. */
const LOWERED = 15;

/**
 * Lowers the priority of a process when its query takes long. Raising it again needs a privilege, so the process must not
 * run another query.
 */
export class LowerPriority {
  readonly #timer: NodeJS.Timeout;
  isLowered = false;

  constructor(pid: number) {
    this.#timer = setTimeout(() => {
      this.isLowered = true;
      void lower(pid);
    }, LOWER_AFTER_MS);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

/** On Linux, each thread has its own priority. Without /proc, the process stays as it is. */
async function lower(pid: number): Promise<void> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  for (const thread of threads) {
    try {
      setPriority(Number(thread), Math.min(LOWERED, constants.priority.PRIORITY_LOW));
    } catch {
      // the thread has ended
    }
  }
}
