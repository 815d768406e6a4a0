import type { Clock } from "#kernel/time.ts";
import { printable } from "../printable.ts";

export interface ProgressState {
  /** Bytes of input read so far; `bytesTotal` is null when the size is unknown, for example from a pipe. */
  bytesRead: number;
  readonly bytesTotal: number | null;
  accepted: number;
  refused: number;
}

export interface Progress {
  /** Redraws, at most ten times a second. */
  update(): void;
  /** Prints a separate line above the bar. */
  note(text: string): void;
  /** Removes the bar. */
  end(): void;
}

const INTERVAL_MS = 100;
const BAR_CHARS = 24;

/** Draws a bar on a terminal, and prints only notes elsewhere. */
export function createProgress(out: NodeJS.WriteStream, state: ProgressState, clock: Clock): Progress {
  const terminal = out.isTTY === true;
  const startedMs = clock.nowMs();
  let drawnMs = 0;
  const clear = (): void => {
    if (drawnMs > 0) out.write("\r\x1b[K");
  };
  return {
    update: () => {
      const nowMs = clock.nowMs();
      if (!terminal || nowMs - drawnMs < INTERVAL_MS) return;
      out.write(`\r${progressLine(state, nowMs - startedMs).slice(0, (out.columns ?? 80) - 1)}\x1b[K`);
      drawnMs = nowMs;
    },
    note: (text) => {
      clear();
      out.write(`${printable(text)}\n`);
    },
    end: clear,
  };
}

export function progressLine(state: ProgressState, elapsedMs: number): string {
  const perSecond = Math.round((state.accepted * 1000) / Math.max(1, elapsedMs));
  const refused = state.refused === 0 ? "" : `, ${grouped(state.refused)} refused`;
  const counts = `${grouped(state.accepted)} entries (${grouped(perSecond)}/s)${refused}`;
  if (state.bytesTotal === null || state.bytesTotal === 0) return counts;
  const part = Math.min(1, state.bytesRead / state.bytesTotal);
  const full = Math.round(part * BAR_CHARS);
  return `[${"#".repeat(full)}${"-".repeat(BAR_CHARS - full)}] ${String(Math.floor(part * 100)).padStart(3)}% ${counts}`;
}

/** 1234567 → 1,234,567. */
export function grouped(count: number): string {
  return count.toLocaleString("en-US");
}
