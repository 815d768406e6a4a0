import { readFileSync } from "node:fs";
import { uptime } from "node:os";

/** Elapsed time, independent of the clock's setting. */
export interface RealTime {
  /**
   * Time since the machine's start, where times of one start can be compared after a restart of the process; null:
   * since the start of this process.
   */
  readonly bootId: string | null;
  elapsedMs(): number;
}

/** Since the machine's start, time in which it slept included; elsewhere than on Linux since this process's start. */
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
