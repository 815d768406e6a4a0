import type { Schedule, ScheduledWork } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { Clock } from "#kernel/time.ts";
import { limitOfShortage, shortageText } from "./scopes/scopes.ts";
import { setTotals, totalsOf } from "./scopes/store.ts";

export interface TotalsOptions {
  readonly metadata: MetadataStore;
  readonly clock: Clock;
  readonly schedule: Schedule;
  readonly log: { warn(fields: object, message: string): void };
  /** Returns the bytes that one organization may store when there are several. */
  readonly bytesMax: () => Promise<number>;
}

const EVERY_MS = 30_000;
/** From this share on, an organization has a row in the records, which each write then checks exactly. */
const NEAR = 0.7;
const RETRY_S = 300;

interface Total {
  readonly used: number;
  readonly max: number;
}

/**
 * Limits all bytes of an organization together, so that one of several organizations can't fill the disk. Organizations with
 * a quota of the operator have no such limit.
 */
export class OrganizationTotals {
  readonly #options: TotalsOptions;
  readonly #work: ScheduledWork;
  /** The organizations near their limit. */
  #near: ReadonlyMap<string, Total> = new Map();

  constructor(options: TotalsOptions) {
    this.#options = options;
    this.#work = options.schedule.add("organization totals", {
      everyMs: EVERY_MS,
      run: () => this.measure(),
      failed: (error) => options.log.warn({ err: error }, "cannot measure the bytes of organizations"),
    });
  }

  /** Measures all organizations, and writes the limits of those near it. */
  async measure(): Promise<void> {
    const { metadata, clock, bytesMax } = this.#options;
    const totals = await totalsOf(metadata.read);
    const max = totals.length < 2 ? null : await bytesMax();
    const near = max === null ? [] : totals.filter((total) => !total.decided && total.used >= max * NEAR);
    const rows = near.map(({ org_id }) => ({ org_id, bytes_max: max ?? 0, updated_at: clock.nowMs() }));
    await setTotals(metadata, rows);
    this.#near = new Map(near.map(({ org_id, used }) => [org_id, { used, max: max ?? 0 }]));
  }

  /**
   * Call it before telemetry is accepted, whose bytes are not counted in a transaction.
   * @throws Problem `quota_exceeded`
   */
  require(orgId: string): void {
    const total = this.#near.get(orgId);
    if (total === undefined || total.used < total.max) return;
    const shortage = { scope: "organization", targetId: orgId, ...total } as const;
    const options = { retryAfterS: RETRY_S, facts: () => limitOfShortage(shortage) };
    throw new Problem("quota_exceeded", shortageText(shortage), options);
  }

  async stop(): Promise<void> {
    await this.#work.stop();
  }
}
