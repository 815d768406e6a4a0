import type { Clock } from "#kernel/time.ts";
import type { Schedule, ScheduledWork } from "#stores/jobs/index.ts";
import type { MetadataStore, Writer } from "#stores/metadata/index.ts";
import { addPulls, isRepository } from "./store.ts";
import type { Repository } from "./types.ts";

interface Pulled {
  readonly repository: Repository;
  readonly digest: string;
  pulls: number;
  atMs: number;
}

export interface PullsDeps {
  readonly metadata: MetadataStore;
  readonly clock: Clock;
  readonly log: { warn(fields: object, message: string): void };
  readonly schedule: Schedule;
}

const FLUSH_MS = 5000;
/** The most counts in one transaction. */
const BATCH = 100;
/** The most counts in memory. More are written early. */
const LINES_MAX = 10_000;

/**
 * Counts pulls in memory and writes them together, so that a pull needs no write. A killed process loses the counts of
 * the last seconds.
 */
export class Pulls {
  readonly #deps: PullsDeps;
  #lines = new Map<string, Pulled>();
  readonly #writing: ScheduledWork;

  constructor(deps: PullsDeps) {
    this.#deps = deps;
    const { log, schedule } = deps;
    this.#writing = schedule.add("image pulls", {
      everyMs: FLUSH_MS,
      run: () => this.flush(),
      failed: (error) => log.warn({ err: error }, "cannot record pulls of images"),
      onlyAsked: true,
    });
  }

  count(repository: Repository, digest: string): void {
    const key = `${repository.id} ${digest}`;
    const line = this.#lines.get(key) ?? { repository, digest, pulls: 0, atMs: 0 };
    line.pulls += 1;
    line.atMs = this.#deps.clock.nowMs();
    this.#lines.set(key, line);
    this.#writing.ask(this.#lines.size >= LINES_MAX ? 0 : FLUSH_MS);
  }

  /** Writes the counts so far. */
  async flush(): Promise<void> {
    const lines = [...this.#lines.values()];
    this.#lines = new Map();
    for (let i = 0; i < lines.length; i += BATCH) {
      await this.#deps.metadata.write(async (tx) => {
        for (const line of lines.slice(i, i + BATCH)) await record(tx, line);
      });
    }
  }

  async stop(): Promise<void> {
    await this.#writing.stop();
    await this.flush();
  }
}

async function record(tx: Writer, { repository, digest, pulls, atMs }: Pulled): Promise<void> {
  if (!(await isRepository(tx, repository.id))) return; // its app was deleted
  await addPulls(tx, { repository: repository.id, orgId: repository.orgId, digest, pulls, atMs });
}
