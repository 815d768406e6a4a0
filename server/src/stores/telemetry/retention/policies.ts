import { limitOf } from "#kernel/no-limit.ts";
import type { Schedule, ScheduledWork } from "#stores/jobs/index.ts";
import type { MetadataStore, Tables } from "#stores/metadata/index.ts";
import type { TelemetryType } from "../columns.ts";
import { isoFromMs } from "#kernel/time.ts";
import type { ShownRows } from "../snapshot.ts";
import type { StoredTable } from "../spool/tables.ts";
import { choiceOf, formerOf, keptRows, longestDays, oldestUs, planOf, type RetentionPlan } from "./plans.ts";
import type { TelemetryLog } from "../settings.ts";
import { BURST_S, type RetentionSettings } from "./settings.ts";

/** The effective policy of one organization, from its own settings and the server's. Null: no limit. */
export interface Policy {
  readonly retentionDays: Readonly<Record<StoredTable, number | null>>;
  /** The present retention first, then earlier ones that may still count. */
  readonly plans: readonly [RetentionPlan, ...RetentionPlan[]];
  readonly storedBytesMax: number | null;
  readonly ingest: IngestRate | null;
  readonly timestamps: TimestampLimits;
  readonly accessLog: AccessLogPolicy;
  /** Whether statements have rows in the query log. */
  readonly queryLog: boolean;
}

/** How far the time of an entry may be from the time at which it arrives. */
export interface TimestampLimits {
  /** Null: as far as the retention, or 10 years if there is none. */
  readonly behindDays: number | null;
  readonly aheadSeconds: number;
}

/** What an organization's access log records. */
export interface AccessLogPolicy {
  readonly mode: "off" | "sampled" | "all";
  /** In mode `sampled`: one of this many reads has a row. */
  readonly sampleRate: number;
}

export const ACCESS_LOG_SAMPLE = 100;

export interface IngestRate {
  readonly bytesPerSecond: number;
  readonly burstBytes: number;
}

/** The times that rows may have, both inclusive, as `YYYY-MM-DDTHH:MM:SS.ffffffZ`. */
export interface AcceptedTimes {
  readonly notBefore: string;
  readonly notAfter: string;
}

type PolicyRow = Tables["telemetry_policy"];

const DAY_US = 86_400_000_000;
const US_PER_MS = 1000;
const MS_PER_S = 1000;
/** The oldest entries that are accepted if telemetry is kept until somebody deletes it. */
const BEHIND_DAYS = 3650;
const AHEAD_SECONDS = 3600;

export interface PoliciesOptions {
  readonly metadata: Pick<MetadataStore, "read">;
  readonly settings: RetentionSettings;
  readonly log: TelemetryLog;
  readonly schedule: Schedule;
}

/** The policies of all organizations, in memory. A change in the database is known here within seconds. */
export class Policies {
  readonly #options: PoliciesOptions;
  readonly #rows = new Map<string, Policy>();
  readonly #default: Policy;
  #revision = 0;
  #reading: Promise<void> | undefined;
  #work: ScheduledWork | undefined;

  constructor(options: PoliciesOptions) {
    this.#options = options;
    this.#default = policyOf(undefined, options.settings);
  }

  /**
   * Reads all policies. Later calls of `refresh` read only changes.
   * @throws Error when they cannot be read
   */
  async start(): Promise<void> {
    await this.#read();
    const { schedule, settings } = this.#options;
    const work = {
      everyMs: settings.policiesEveryMs,
      run: () => this.#refresh(),
      failed: (e: unknown) => this.#warn(e),
    };
    this.#work = schedule.add("telemetry limits", work);
  }

  /** Reads the changes since the last call. After a failure the old policies stay, and the next call tries again. */
  async refresh(): Promise<void> {
    await this.#refresh().catch((error: unknown) => this.#warn(error));
  }

  async #refresh(): Promise<void> {
    // A running read may have started before the caller's change.
    await this.#reading?.catch(() => undefined);
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
  }

  #warn(error: unknown): void {
    this.#options.log.warn({ err: error }, "cannot read retention and quotas");
  }

  of(orgId: string): Policy {
    return this.#rows.get(orgId) ?? this.#default;
  }

  /** Lists the organizations whose access log is on. */
  withAccessLog(): string[] {
    return [...this.#rows].filter(([, { accessLog }]) => accessLog.mode !== "off").map(([orgId]) => orgId);
  }

  async stop(): Promise<void> {
    await this.#work?.stop();
    await this.#reading?.catch(() => undefined);
  }

  async #read(): Promise<void> {
    const { metadata, settings } = this.#options;
    const changed = metadata.read.selectFrom("telemetry_policy").selectAll().where("revision", ">", this.#revision);
    for (const row of await changed.orderBy("revision").execute()) {
      this.#rows.set(row.org_id, policyOf(row, settings));
      this.#revision = row.revision;
    }
  }
}

/** Returns the oldest time that is not past retention, in microseconds since the epoch. */
export function cutUs(policy: Policy, type: StoredTable, nowMs: number): number | undefined {
  return oldestUs(policy.plans, type, nowMs);
}

/** Returns the rows of a table that queries see. */
export function shownRows(policy: Policy, type: StoredTable, nowMs: number): ShownRows {
  return { fromUs: cutUs(policy, type, nowMs), kept: keptRows(policy.plans, type, nowMs) };
}

/** Returns the times that a row of this type may have when it arrives. */
export function acceptedTimesOf(policy: Policy, type: TelemetryType, nowMs: number): AcceptedTimes {
  return {
    notBefore: microsecondsText(nowMs - (behindDaysOf(policy, type) * DAY_US) / US_PER_MS),
    notAfter: microsecondsText(nowMs + policy.timestamps.aheadSeconds * MS_PER_S),
  };
}

/** Returns the age in days of the oldest row of this type that is accepted. */
export function behindDaysOf({ timestamps: { behindDays }, plans }: Policy, type: TelemetryType): number {
  const kept = longestDays(plans[0], type);
  return Math.min(behindDays ?? kept ?? BEHIND_DAYS, kept ?? Number.POSITIVE_INFINITY);
}

function microsecondsText(ms: number): string {
  return `${isoFromMs(ms).slice(0, -1)}000Z`;
}

function policyOf(row: PolicyRow | undefined, settings: RetentionSettings): Policy {
  const plan = planOf(choiceOf(row), settings);
  const former = formerOf(row).map((choice) => planOf(choice, settings, choice.untilMs));
  const bytesPerSecond = limitOf(row?.ingest_bytes_per_second, settings.ingestBytesPerSecond);
  const burstBytes = limitOf(row?.ingest_bytes_burst, settings.ingestBytesBurst);
  return {
    retentionDays: plan.days,
    plans: [plan, ...former],
    storedBytesMax: limitOf(row?.stored_bytes_max, settings.storedBytesMax),
    ingest: bytesPerSecond === null ? null : { bytesPerSecond, burstBytes: burstBytes ?? bytesPerSecond * BURST_S },
    timestamps: {
      behindDays: row?.timestamp_behind_days ?? null,
      aheadSeconds: row?.timestamp_ahead_seconds ?? AHEAD_SECONDS,
    },
    accessLog: {
      mode: (row?.access_log_mode ?? "off") as AccessLogPolicy["mode"],
      sampleRate: row?.access_log_sample ?? ACCESS_LOG_SAMPLE,
    },
    queryLog: row?.query_log_mode !== "off",
  };
}
