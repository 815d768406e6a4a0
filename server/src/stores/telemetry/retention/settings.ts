import type { TelemetryType } from "../columns.ts";

/** The operator's settings of retention and quotas, for organizations that have not set them. */
export interface RetentionSettings {
  /** Days that rows are kept. Null: until somebody deletes them. */
  readonly days: Readonly<Record<TelemetryType, number | null>>;
  /** The most days that an organization, or a default above, may set. Null: no limit. */
  readonly daysMax: number | null;
  /** Bytes that an organization may store in this directory. Null: no limit. */
  readonly storedBytesMax: number | null;
  /** Bytes of rows per second that an organization may send on average. Null: no limit. */
  readonly ingestBytesPerSecond: number | null;
  /** Bytes that an organization may send at once. Null: the bytes of `BURST_S` seconds at the average rate. */
  readonly ingestBytesBurst: number | null;
  /** Files whose rows are all past their retention are deleted this much later. */
  readonly deleteAfterMs: number;
  /** How often the store reads changes in the metadata store. */
  readonly policiesEveryMs: number;
  /** How often the store looks for rows to erase or past their retention. 0 turns this off. */
  readonly checkEveryMs: number;
}

/** The default burst, in seconds of the average rate. */
export const BURST_S = 10;

export const RETENTION_DEFAULTS: RetentionSettings = {
  days: { logs: null, metrics: null, traces: null },
  daysMax: null,
  storedBytesMax: null,
  ingestBytesPerSecond: null,
  ingestBytesBurst: null,
  deleteAfterMs: 86_400_000,
  policiesEveryMs: 2000,
  checkEveryMs: 60_000,
};
