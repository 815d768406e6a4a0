import type { Cutoff, GuardedClock } from "./deletions.ts";
import type { Clock } from "./time.ts";

/** A clock that tests set. It always allows deletions. */
export function trustedClock(clock: Clock | GuardedClock): GuardedClock {
  if ("deletionTime" in clock) return clock;
  return {
    nowMs: () => clock.nowMs(),
    deletionTime: () => clock.nowMs() as Cutoff,
    isTrusted: () => true,
  };
}

/** A cutoff for a test's deletions. */
export function timeToDelete(ms: number): Cutoff {
  return ms as Cutoff;
}
