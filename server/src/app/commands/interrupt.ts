import { ExitCode } from "./command.ts";

/** Ctrl-C as a signal, so that a command can end in order. The second one ends the process at once. */
export interface Interrupt {
  readonly signal: AbortSignal;
  /** Restores the usual effect of Ctrl-C. */
  release(): void;
}

/** Runs work that Ctrl-C aborts, and resolves with its exit code. */
export async function untilInterrupt(work: (signal: AbortSignal) => Promise<number>): Promise<number> {
  const interrupt = onInterrupt();
  try {
    return await work(interrupt.signal);
  } catch (error) {
    if (interrupt.signal.aborted) return ExitCode.interrupted;
    throw error;
  } finally {
    interrupt.release();
  }
}

export function onInterrupt(): Interrupt {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  process.once("SIGINT", abort);
  return { signal: controller.signal, release: () => void process.removeListener("SIGINT", abort) };
}
