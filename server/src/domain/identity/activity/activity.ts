import { addUsageRows, UsageCounts, type Scan, type UsageRow } from "#domain/usage/index.ts";
import { earlier, type GuardedClock } from "#kernel/deletions.ts";
import type { Schedule, ScheduledWork } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { Counts, HOUR_MS, MINUTE_MS, type CountedRequest, type KnownRequest } from "./counts.ts";
import {
  addRows,
  deleteRows,
  sumOfMinutes,
  sumsByAddress,
  requestsSince,
  sumsByService,
  sumsOfOrganization,
  type AddressSum,
  type CountedRows,
  type ServiceSum,
} from "./store.ts";

export interface ActivityDeps {
  readonly metadata: MetadataStore;
  readonly clock: GuardedClock;
  readonly log: { warn(fields: object, message: string): void };
  readonly schedule: Schedule;
}

/** The recent requests of a credential. They would fail after a revocation. */
export interface CredentialActivity {
  readonly lastHour: { readonly requests: number; readonly refused: number };
  readonly lastDay: { readonly requests: number; readonly refused: number };
  /** Most used first. Empty texts stand for all addresses that are not counted separately. */
  readonly byAddress: readonly AddressSum[];
  readonly byService: readonly { readonly service: string; readonly requests: number }[];
}

const FLUSH_MS = 10_000;
const DAY_MS = 24 * HOUR_MS;
const KEPT_MS = 2 * DAY_MS;
/** The most rows of one statement, and of one transaction, so that others can write in between. */
const STATEMENT_ROWS = 100;
const TRANSACTION_ROWS = 500;
const ADDRESSES_SHOWN = 10;

/**
 * Counts requests by credential, and usage by day. The counts are in memory, and every ten seconds they are added to the records of all
 * nodes.
 */
export class Activity {
  readonly #deps: ActivityDeps;
  readonly #counts = new Counts();
  readonly #usage = new UsageCounts();
  readonly #writing: ScheduledWork;
  #flushing: Promise<void> | undefined;
  /** The hour of the last cleanup. */
  #tidied = 0;

  constructor(deps: ActivityDeps) {
    this.#deps = deps;
    this.#writing = deps.schedule.add("activity", {
      everyMs: FLUSH_MS,
      run: () => this.flush(),
      failed: (error) => {
        this.#warn(error);
        if (!this.#counts.isEmpty || !this.#usage.isEmpty) this.#writing.ask();
      },
      onlyAsked: true,
    });
  }

  count(request: CountedRequest): void {
    const { id, isPerson } = request;
    const nowMs = this.#deps.clock.nowMs();
    if (id !== null) this.#counts.add(request as KnownRequest, nowMs);
    this.#usage.add(request, id === null || isPerson ? "" : id, nowMs);
    this.#writing.ask();
  }

  /** Counts the bytes that a query has read. */
  countScan(scan: Scan): void {
    this.#usage.addScan(scan, this.#deps.clock.nowMs());
    this.#writing.ask();
  }

  /** Returns the last hour by minute, and the last day by hour. Other nodes' counts of the last seconds are missing. */
  async ofCredential(id: string): Promise<CredentialActivity> {
    const { metadata, clock } = this.#deps;
    const nowMs = clock.nowMs();
    const [minute, hour] = [begin(nowMs - HOUR_MS, MINUTE_MS), begin(nowMs - DAY_MS, HOUR_MS)];
    const byService = await sumsByService(metadata.read, id, hour);
    const sum = (of: "requests" | "refused"): number => byService.reduce((total, row) => total + row[of], 0);
    return {
      lastHour: await sumOfMinutes(metadata.read, id, minute),
      lastDay: { requests: sum("requests"), refused: sum("refused") },
      byAddress: await sumsByAddress(metadata.read, id, hour, ADDRESSES_SHOWN),
      byService: byService.map(({ service, requests }) => ({ service, requests })),
    };
  }

  /** Returns the requests of the last day by credential. */
  async requestsOf(ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const { metadata, clock } = this.#deps;
    return requestsSince(metadata.read, ids, begin(clock.nowMs() - DAY_MS, HOUR_MS));
  }

  /** Returns the last day by hour, most used first. */
  async ofOrganization(orgId: string): Promise<ServiceSum[]> {
    const { metadata, clock } = this.#deps;
    return sumsOfOrganization(metadata.read, orgId, begin(clock.nowMs() - DAY_MS, HOUR_MS));
  }

  /** Writes the counts. */
  flush(): Promise<void> {
    this.#flushing ??= this.#keep().finally(() => {
      this.#flushing = undefined;
    });
    return this.#flushing;
  }

  /** Writes what it can. A missing database must not block the rest of the stop. */
  async stop(): Promise<void> {
    await this.#writing.stop();
    await this.#flushing?.catch(() => undefined);
    await this.flush().catch((error: unknown) => this.#warn(error));
  }

  #warn(error: unknown): void {
    this.#deps.log.warn({ err: error }, "cannot write the counts of requests");
  }

  async #keep(): Promise<void> {
    const { metadata } = this.#deps;
    const parts = [
      ...partsOf(this.#counts.take()),
      ...chunks(this.#usage.take()).map((rows) => ({ ...NONE, usage: rows })),
    ];
    try {
      for (let batch = parts.splice(0, BATCH_PARTS); batch.length > 0; batch = parts.splice(0, BATCH_PARTS)) {
        await metadata
          .write(async (tx) => {
            for (const part of batch) {
              addRows(tx, part);
              addUsageRows(tx, part.usage);
            }
          })
          .catch((error: unknown) => {
            parts.push(...batch);
            throw error;
          });
      }
    } finally {
      for (const part of parts) {
        this.#counts.putBack(part);
        this.#usage.putBack(part.usage);
      }
    }
    await this.#tidy();
  }

  async #tidy(): Promise<void> {
    const { metadata, clock } = this.#deps;
    const nowMs = clock.nowMs();
    const hour = begin(nowMs, HOUR_MS);
    if (this.#tidied === hour) return;
    const dueMs = clock.deletionTime("activity");
    if (dueMs !== null) {
      const hour = earlier(dueMs, KEPT_MS + (dueMs % HOUR_MS));
      const minute = earlier(dueMs, HOUR_MS + (dueMs % MINUTE_MS));
      await metadata.write((tx) => deleteRows(tx, { hour, minute }));
    }
    this.#tidied = hour;
  }
}

const BATCH_PARTS = TRANSACTION_ROWS / STATEMENT_ROWS;

type Part = CountedRows & { readonly usage: readonly UsageRow[] };

const NONE: Part = { addresses: [], minutes: [], services: [], usage: [] };

/** Splits the rows into parts of one statement each. */
function partsOf({ addresses, minutes, services }: CountedRows): Part[] {
  return [
    ...chunks(services).map((rows) => ({ ...NONE, services: rows })),
    ...chunks(minutes).map((rows) => ({ ...NONE, minutes: rows })),
    ...chunks(addresses).map((rows) => ({ ...NONE, addresses: rows })),
  ];
}

function chunks<R>(rows: readonly R[]): (readonly R[])[] {
  const count = Math.ceil(rows.length / STATEMENT_ROWS);
  return Array.from({ length: count }, (_, i) => rows.slice(i * STATEMENT_ROWS, (i + 1) * STATEMENT_ROWS));
}

function begin(ms: number, unitMs: number): number {
  return ms - (ms % unitMs);
}
