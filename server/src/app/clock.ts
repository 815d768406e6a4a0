import type { FastifyBaseLogger } from "fastify";
import { systemClock, type Clock } from "#kernel/time.ts";
import { ClockGuard, systemRealTime } from "#stores/clock/index.ts";
import type { Schedule } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { Config } from "./config.ts";
import type { Phases } from "./phases.ts";

/** Starts the guard of the clock. Must run before all work that deletes by time. */
export async function guardClock(
  { data_dir: dataDir }: Config,
  parts: { clock: Clock; metadata: MetadataStore; log: FastifyBaseLogger; phases: Phases; schedule: Schedule },
): Promise<ClockGuard> {
  const { phases, ...rest } = parts;
  const guard = phases.started("clock", new ClockGuard({ dataDir, realTime: systemRealTime(), ...rest }), (part) =>
    part.stop(),
  );
  await guard.start();
  return guard;
}

/** Starts a command's clock guard. It doubts the clock in the same cases as the guard of the server. */
export async function guardBeside(dataDir: string, metadata: MetadataStore): Promise<ClockGuard> {
  const warn = (_fields: object, message: string): void => void process.stderr.write(`mooring: ${message}\n`);
  const log = { info: () => undefined, warn };
  const guard = new ClockGuard({
    dataDir,
    metadata,
    clock: systemClock,
    realTime: systemRealTime(),
    log,
    schedule: null,
  });
  await guard.start();
  return guard;
}

/** The error of a command that can't delete by time. */
export function clockInDoubt(guard: ClockGuard): Error {
  const why = guard.state().reason ?? "the clock is in doubt";
  return new Error(`cannot delete anything by time: ${why}; set the clock, or confirm it with mooring clock accept`);
}
