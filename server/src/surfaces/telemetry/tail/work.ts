import { setImmediate as nextTurn, setTimeout as delay } from "node:timers/promises";

/** Takes its part of the event loop and no more, however much there is to do. */
export interface Work {
  /** Waits until there is time for one more piece. */
  turn(): Promise<void>;
  /** Does a piece, and counts its time. */
  piece<T>(run: () => T): T;
  /** Counts time that was spent elsewhere. */
  spent(ms: number): void;
}

export interface WorkLimits {
  /** Part of the time that may be spent over long, from 0 to 1. */
  readonly share: number;
  /** So much may be spent at once after a rest. */
  readonly burstMs: number;
}

/** A turn of the event loop that is longer than this holds requests up. */
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
