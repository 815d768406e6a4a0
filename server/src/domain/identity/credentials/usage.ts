import type { Clock } from "#kernel/time.ts";
import type { Schedule, ScheduledWork } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { recordUsage } from "./last-use/store.ts";

interface Use {
  atMs: number;
  ip: string | null;
  readonly secrets: Map<string, number>;
  readonly trusts: Map<string, { atMs: number; subject: string }>;
}

/** The address and the secret or trust of a sign-in. */
export type UsedBy = { readonly ip: string | null } & (
  | { readonly secretId: string }
  | { readonly trustId: string; readonly subject: string }
);

export interface UsageLogDeps {
  readonly metadata: MetadataStore;
  readonly clock: Clock;
  readonly log: { warn(fields: object, message: string): void };
  readonly schedule: Schedule;
}

const FLUSH_MS = 10_000;
const MINUTE_MS = 60_000;
/** The most credentials in one transaction. */
const BATCH = 200;

/**
 * Records when and from which address credentials were last used, rounded to the minute. A request never causes a
 * write.
 */
export class UsageLog {
  readonly #deps: UsageLogDeps;
  #dirty = new Map<string, Use>();
  /** The minute of a credential's last use, by secret and address, so that repeats cost nothing. */
  readonly #noted = new Map<string, number>();
  readonly #writing: ScheduledWork;

  constructor(deps: UsageLogDeps) {
    this.#deps = deps;
    const { log, schedule } = deps;
    this.#writing = schedule.add("credential use", {
      everyMs: FLUSH_MS,
      run: () => this.flush(),
      failed: (error) => log.warn({ err: error }, "cannot record when credentials were last used"),
      onlyAsked: true,
    });
  }

  /** Notes a use. `by` is known at a sign-in, but not when a token is used. */
  touch(credentialId: string, by?: UsedBy): void {
    const nowMs = this.#deps.clock.nowMs();
    const minute = Math.floor(nowMs / MINUTE_MS);
    const key =
      by === undefined ? credentialId : "secretId" in by ? by.secretId + by.ip : by.trustId + by.ip + by.subject;
    if (this.#noted.get(key) === minute) return;
    this.#noted.set(key, minute);
    const use = this.#dirty.get(credentialId) ?? newUse(nowMs);
    use.atMs = nowMs;
    if (by !== undefined) {
      use.ip = by.ip;
      if ("secretId" in by) use.secrets.set(by.secretId, nowMs);
      else use.trusts.set(by.trustId, { atMs: nowMs, subject: by.subject });
    }
    this.#dirty.set(credentialId, use);
    this.#writing.ask();
  }

  async flush(): Promise<void> {
    const uses = [...this.#dirty];
    this.#dirty = new Map();
    const minute = Math.floor(this.#deps.clock.nowMs() / MINUTE_MS);
    for (const [key, noted] of this.#noted) if (noted !== minute) this.#noted.delete(key);
    for (let i = 0; i < uses.length; i += BATCH) {
      await this.#deps.metadata.write(async (tx) => {
        for (const [credentialId, use] of uses.slice(i, i + BATCH)) await recordUsage(tx, { credentialId, ...use });
      });
    }
  }

  async stop(): Promise<void> {
    await this.#writing.stop();
    await this.flush();
  }
}

function newUse(atMs: number): Use {
  return { atMs, ip: null, secrets: new Map(), trusts: new Map() };
}
