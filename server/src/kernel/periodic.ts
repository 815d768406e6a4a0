/**
 * Does something at intervals, one at a time, until the returned function is called, which waits for what is under way. What
 * fails is told to `failed` and tried at the next interval. Does not keep the process alive.
 */
export function atIntervals(
  everyMs: number,
  work: () => Promise<void>,
  failed: (error: unknown) => void,
): () => Promise<void> {
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= work()
      .catch(failed)
      .finally(() => {
        running = undefined;
      });
  }, everyMs).unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}
