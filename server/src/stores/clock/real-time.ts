import { readFileSync } from "node:fs";
import { uptime } from "node:os";

/** Elapsed time. Setting the clock does not change it. */
export interface RealTime {
  /**
   * Names the machine's start, which `elapsedMs` counts from, so that two processes can compare their times. Null when
   * it counts from the start of this process.
   */
  readonly bootId: string | null;
  elapsedMs(): number;
}

/**
 * Returns the time since the machine's start, including sleep. On other systems than Linux, returns the time since the
 * start of this process.
 */
export function systemRealTime(): RealTime {
  const bootId = readBootId();
  if (bootId === null) return { bootId, elapsedMs: () => performance.now() };
  return { bootId, elapsedMs: () => uptime() * 1000 };
}

function readBootId(): string | null {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim() || null;
  } catch {
    return null;
  }
}
