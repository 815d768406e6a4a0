import type { FastifyBaseLogger } from "fastify";

/** Named phases of the start. When one fails, the phases that have started are stopped. */
export interface Phases {
  started<T>(name: string, part: T, stop: (part: T) => Promise<void> | void): T;
  stop(): Promise<void>;
}

export function createPhases(log: FastifyBaseLogger): Phases {
  const started: { name: string; stop: () => Promise<void> | void }[] = [];
  return {
    started: (name, part, stop) => {
      started.push({ name, stop: () => stop(part) });
      return part;
    },
    stop: async () => {
      for (let phase = started.pop(); phase !== undefined; phase = started.pop()) {
        try {
          await phase.stop();
        } catch (error) {
          log.error({ err: error, phase: phase.name }, "cannot stop a part cleanly");
        }
      }
    },
  };
}
