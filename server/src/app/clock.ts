import { systemClock } from "#kernel/time.ts";
import { ClockGuard, systemRealTime } from "#stores/clock/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";

/** The clock of a command beside the server of a directory, or without one: as much in doubt as the server's. */
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

/** Why a command that deletes by time deletes nothing. */
export function clockInDoubt(guard: ClockGuard): Error {
  const why = guard.state().reason ?? "the clock is in doubt";
  return new Error(
    `cannot delete anything by time: ${why}; set the clock right, or say that it is right by mooring clock accept`,
  );
}
