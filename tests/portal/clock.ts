/** A server whose clock a test moves forward. */
import { fileURLToPath } from "node:url";
import type { Server } from "../fixtures/server.ts";

const PRELOAD = fileURLToPath(new URL("../fixtures/clock-ahead.mjs", import.meta.url));

/** Returns the environment of a server whose clock moves forward by `stepMs` at each step. */
export function steppedClock(stepMs: number): Readonly<Record<string, string>> {
  return { NODE_OPTIONS: `--import ${PRELOAD}`, TEST_CLOCK_STEP_MS: String(stepMs) };
}

export function stepClock({ pid }: Pick<Server, "pid">): void {
  process.kill(pid, "SIGUSR2");
}
