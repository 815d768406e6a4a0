import { PROBLEM_METRICS, ProblemFinder, type Metrics, type ServerProblem } from "#kernel/metrics/index.ts";
import type { Clock } from "#kernel/time.ts";
import type { Schedule, ScheduledWork } from "#stores/jobs/index.ts";

const NOTE_EVERY_MS = 15_000;
const MS_PER_S = 1000;

/** The problems of this server, by the conditions of its alerts. They need no Prometheus. */
export class Problems {
  readonly #metrics: Metrics;
  readonly #clock: Clock;
  readonly #finder = new ProblemFinder();
  readonly #work: ScheduledWork;

  constructor({ metrics, clock, schedule }: { metrics: Metrics; clock: Clock; schedule: Schedule }) {
    this.#metrics = metrics;
    this.#clock = clock;
    this.#work = schedule.add("problems", {
      everyMs: NOTE_EVERY_MS,
      run: async () => this.#finder.note(await this.#samples(), this.#nowS()),
      failed: () => {}, // a family that can't be read is left out
    });
    this.#work.ask(0);
  }

  async list(): Promise<ServerProblem[]> {
    return this.#finder.find(await this.#samples(), this.#nowS());
  }

  async stop(): Promise<void> {
    await this.#work.stop();
  }

  #samples() {
    return this.#metrics.samples(PROBLEM_METRICS);
  }

  #nowS(): number {
    return this.#clock.nowMs() / MS_PER_S;
  }
}
