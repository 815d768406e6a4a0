import type { TelemetryType } from "../columns.ts";

/** The operator's settings of retention and quotas, for organizations without their own. */
export interface RetentionSettings {
  /** Days that rows are kept; null: until somebody deletes them. */
  readonly days: Readonly<Record<TelemetryType, number | null>>;
  /** The most days that an organization may choose, and that the defaults may be; null: no bound. */
  readonly daysMax: number | null;
  /** Bytes that an organization may have in this directory; null: no limit. */
  readonly storedBytesMax: number | null;
  /** Bytes of rows that an organization may send, sustained; null: no limit. */
  readonly ingestBytesPerSecond: number | null;
  /** … and at once; null: what it may send in `BURST_S` seconds. */
  readonly ingestBytesBurst: number | null;
  /** How often the store reads changes in the metadata store. */
  readonly policiesEveryMs: number;
  /** How often it looks for rows past their retention or to erase; 0 turns the schedule off. */
  readonly checkEveryMs: number;
}

/** Seconds of the sustained rate that may come at once when nothing else is set. */
export const BURST_S = 10;

export const RETENTION_DEFAULTS: RetentionSettings = {
  days: { logs: null, metrics: null, traces: null },
  daysMax: null,
  storedBytesMax: null,
  ingestBytesPerSecond: null,
  ingestBytesBurst: null,
  policiesEveryMs: 2000,
  checkEveryMs: 60_000,
};
