import type { Clock } from "#kernel/time.ts";

export interface TransferProgress {
  add(bytes: number): void;
  /** Removes the line. */
  end(): void;
}

const INTERVAL_MS = 100;
const BAR_CHARS = 24;
const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"];

/**
 * Draws a bar on a terminal, and nothing elsewhere. `total` is null when the size is unknown, for example from a pipe.
 */
export function transferProgress(out: NodeJS.WriteStream, total: number | null, clock: Clock): TransferProgress {
  const startedMs = clock.nowMs();
  let [bytes, drawnMs] = [0, 0];
  return {
    add: (more) => {
      bytes += more;
      const nowMs = clock.nowMs();
      if (out.isTTY !== true || nowMs - drawnMs < INTERVAL_MS) return;
      drawnMs = nowMs;
      out.write(`\r${transferLine(bytes, total, nowMs - startedMs).slice(0, (out.columns ?? 80) - 1)}\x1b[K`);
    },
    end: () => {
      if (drawnMs > 0) out.write("\r\x1b[K");
    },
  };
}

export function transferLine(bytes: number, total: number | null, elapsedMs: number): string {
  const speed = `${sizeText(bytes)} (${sizeText((bytes * 1000) / Math.max(1, elapsedMs))}/s)`;
  if (total === null || total === 0) return speed;
  const part = Math.min(1, bytes / total);
  const full = Math.round(part * BAR_CHARS);
  return `[${"#".repeat(full)}${"-".repeat(BAR_CHARS - full)}] ${String(Math.floor(part * 100)).padStart(3)}% ${speed}`;
}

function sizeText(bytes: number): string {
  let [value, unit] = [bytes, 0];
  for (; value >= 1024 && unit < UNITS.length - 1; unit++) value /= 1024;
  return `${unit === 0 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}
