import { systemClock, type Clock } from "#kernel/time.ts";
import type { WorldOptions } from "./world.ts";

let aheadMs = 0;
const clock: Clock = { nowMs: () => systemClock.nowMs() + aheadMs };

/** Options for worlds whose clock tests move forward. All of them share one server and one clock. */
export const MOVING: WorldOptions = { isShared: true, clock };

/** Lets time pass. Tokens of credentials expire after 15 minutes. */
export function pass(ms: number): void {
  aheadMs += ms;
}
