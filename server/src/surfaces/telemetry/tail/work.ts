import { setImmediate as nextTurn, setTimeout as delay } from "node:timers/promises";

/** Limits work to its share of the event loop. */
export interface Work {
  /** Waits until there is time for the next piece. */
  turn(): Promise<void>;
  /** Runs a piece and counts its time. */
  piece<T>(run: () => T): T;
  /** Counts time that was spent elsewhere. */
  spent(ms: number): void;
}

export interface WorkLimits {
  /** The long-term share of the time, from 0 to 1. */
  readonly share: number;
  /** How much time may be used at once after a pause. */
  readonly burstMs: number;
}

/** A longer turn of the event loop would delay requests. */
const SLICE_MS = 4;

export function createWork({ share, burstMs }: WorkLimits): Work {
  let creditMs = burstMs;
  let countedAt = performance.now();
  let sliceMs = 0;

  function refill(): void {
    const now = performance.now();
    creditMs = Math.min(burstMs, creditMs + (now - countedAt) * share);
    countedAt = now;
  }

  function spent(ms: number): void {
    creditMs -= ms;
    sliceMs += ms;
  }

  return {
    turn: async () => {
      for (refill(); creditMs <= 0; refill()) {
        await delay(Math.ceil(-creditMs / share) + 1, undefined, { ref: false });
        sliceMs = 0;
      }
      while (sliceMs >= SLICE_MS) {
        await nextTurn();
        sliceMs = 0;
      }
    },
    piece: (run) => {
      const began = performance.now();
      try {
        return run();
      } finally {
        spent(performance.now() - began);
      }
    },
    spent,
  };
}
