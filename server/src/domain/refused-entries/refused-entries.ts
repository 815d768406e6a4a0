import { REFUSED_ENTRIES_HOURS, type EntryRefusal } from "@mooring/contract";
import { earlier, type GuardedClock } from "#kernel/deletions.ts";
import type { Counter, LabelsOf, Metrics } from "#kernel/metrics/index.ts";
import type { Schedule, ScheduledWork } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { TelemetryType } from "#stores/telemetry/index.ts";
import { addRefused, deleteRefused, type RefusedRow } from "./store.ts";

/** A refused entry, for a person who looks for the cause. */
export interface EntrySample {
  readonly pointer: string;
  readonly detail: string;
  /** The beginning of the entry, see `sampleText`; null for a whole request. */
  readonly entry: string | null;
}

/** The refused entries of one request with the same reason. */
export interface RefusedReason {
  readonly reason: EntryRefusal;
  readonly entries: number;
  readonly samples: readonly EntrySample[];
}

/** The refused entries of one request. */
export interface RefusedBatch {
  readonly orgId: string;
  readonly sender: { readonly kind: string; readonly id: string };
  readonly projectId: string | null;
  readonly protocol: string;
  readonly type: TelemetryType;
  readonly refused: readonly RefusedReason[];
}

export interface RefusedEntriesDeps {
  readonly metadata: MetadataStore;
  readonly clock: GuardedClock;
  readonly log: { warn(fields: object, message: string): void };
  readonly schedule: Schedule;
  readonly metrics?: Metrics;
}

const FLUSH_MS = 5_000;
const HOUR_MS = 3_600_000;
/** The rows of one statement. */
const ROWS_MAX = 100;
/** The samples of one sender and reason in one hour. */
const SAMPLES_MAX = 10;
/** Limits the memory of one hour. Further senders are counted without samples, then not at all. */
const SAMPLED_MAX = 500;
const COUNTED_MAX = 5_000;

/** The counts that are not yet written, and the samples of the hour. */
interface Counted {
  readonly row: RefusedRow;
  readonly samples: object[];
}

/** Counts refused entries in memory, and adds them to the records of all nodes every few seconds. */
export class RefusedEntries {
  readonly #deps: RefusedEntriesDeps;
  readonly #writing: ScheduledWork;
  readonly #total: Counter<LabelsOf<"mooring_ingest_rows_refused_total">> | undefined;
  readonly #counts = new Map<string, Counted>();
  /** The hour of the last cleanup. */
  #tidied = 0;

  constructor(deps: RefusedEntriesDeps) {
    this.#deps = deps;
    this.#total = deps.metrics?.counter("mooring_ingest_rows_refused_total");
    this.#writing = deps.schedule.add("refused entries", {
      everyMs: FLUSH_MS,
      run: () => this.flush(),
      failed: (error) => {
        this.#warn(error);
        this.#writing.ask();
      },
      onlyAsked: true,
    });
  }

  add(batch: RefusedBatch): void {
    const nowMs = this.#deps.clock.nowMs();
    for (const one of batch.refused) {
      this.#total?.inc({ type: batch.type, reason: one.reason }, one.entries);
      const counted = this.#countedFor(batch, one.reason, nowMs);
      if (counted === undefined) continue;
      counted.row.entries += one.entries;
      counted.row.requests += 1;
      counted.row.last_at = nowMs;
      if (this.#counts.size > SAMPLED_MAX) continue;
      counted.samples.unshift(...one.samples.map((sample) => ({ at: nowMs, ...sample })));
      counted.samples.splice(SAMPLES_MAX);
    }
    this.#writing.ask();
  }

  /** Writes the counts. */
  async flush(): Promise<void> {
    for (let part = this.#unwritten(); part.length > 0; part = this.#unwritten()) await this.#write(part);
    await this.#tidy();
  }

  /** Writes what it can. A missing database must not block the rest of the stop. */
  async stop(): Promise<void> {
    await this.#writing.stop();
    await this.flush().catch((error: unknown) => this.#warn(error));
  }

  #countedFor(
    { orgId, sender, projectId, protocol, type }: RefusedBatch,
    reason: EntryRefusal,
    nowMs: number,
  ): Counted | undefined {
    const hour = nowMs - (nowMs % HOUR_MS);
    const key = JSON.stringify([hour, orgId, sender.id, projectId, protocol, type, reason]);
    const known = this.#counts.get(key);
    if (known !== undefined || this.#counts.size >= COUNTED_MAX) return known;
    const who = { sender_kind: sender.kind, sender_id: sender.id, project_id: projectId ?? "" };
    const counts = { entries: 0, requests: 0, last_at: nowMs, samples: "[]" };
    const counted = { row: { org_id: orgId, hour, ...who, protocol, type, reason, ...counts }, samples: [] };
    this.#counts.set(key, counted);
    return counted;
  }

  #unwritten(): Counted[] {
    return [...this.#counts.values()].filter(({ row }) => row.requests > 0).slice(0, ROWS_MAX);
  }

  async #write(part: readonly Counted[]): Promise<void> {
    const rows = part.map(({ row, samples }) => ({ ...row, samples: JSON.stringify(samples) }));
    const add = (factor: 1 | -1): void =>
      part.forEach(({ row }, i) => {
        row.entries += factor * (rows[i]?.entries ?? 0);
        row.requests += factor * (rows[i]?.requests ?? 0);
      });
    add(-1);
    try {
      await this.#deps.metadata.write(async (tx) => addRefused(tx, rows));
    } catch (error) {
      add(1);
      throw error;
    }
  }

  /** Forgets the samples of earlier hours, and deletes old counts, once an hour. */
  async #tidy(): Promise<void> {
    const { metadata, clock } = this.#deps;
    const nowMs = clock.nowMs();
    const hour = nowMs - (nowMs % HOUR_MS);
    if (this.#tidied === hour) return;
    for (const [key, { row }] of this.#counts) if (row.hour !== hour && row.requests === 0) this.#counts.delete(key);
    const dueMs = clock.deletionTime("refused_entries");
    if (dueMs !== null) {
      await metadata.write((tx) => deleteRefused(tx, earlier(dueMs, REFUSED_ENTRIES_HOURS * HOUR_MS)));
    }
    this.#tidied = hour;
  }

  #warn(error: unknown): void {
    this.#deps.log.warn({ err: error }, "cannot save the counts of refused entries");
  }
}
