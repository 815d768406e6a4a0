/** Ctrl-C as a signal, so that a command can end in order. The second one ends the process at once. */
export interface Interrupt {
  readonly signal: AbortSignal;
  /** Gives Ctrl-C back its usual meaning. */
  release(): void;
}

export function onInterrupt(): Interrupt {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  process.once("SIGINT", abort);
  return { signal: controller.signal, release: () => void process.removeListener("SIGINT", abort) };
}
