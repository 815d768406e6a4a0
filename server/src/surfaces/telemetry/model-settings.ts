import type { ResultOf, TELEMETRY_SETTINGS_ROUTES } from "@mooring/contract";
import type { Erasure, TelemetryChoice } from "#domain/telemetry/index.ts";
import { isoFromMs, isoFromUs } from "#kernel/time.ts";
import {
  behindDaysOf,
  type TelemetryPolicy,
  type TelemetryType,
  type TelemetryUsage,
} from "#stores/telemetry/index.ts";

/** Converts records to the contract's form. */

type Rows = typeof TELEMETRY_SETTINGS_ROUTES;
type SettingsBody = ResultOf<Rows["getTelemetrySettings"]>;
type UsageBody = ResultOf<Rows["getTelemetryUsage"]>;
export type ErasureBody = ResultOf<Rows["getTelemetryErasure"]>;

export function settingsBody(own: TelemetryChoice, policy: TelemetryPolicy, daysMax: number | null): SettingsBody {
  const { logs, metrics, traces } = policy.retentionDays;
  return {
    retention_days: { ...own.retentionDays },
    effective_retention_days: { logs, metrics, traces },
    retention_days_max: daysMax,
    timestamps: { ...own.timestamps },
    effective_timestamps: {
      behind_days: {
        logs: behindDaysOf(policy, "logs"),
        metrics: behindDaysOf(policy, "metrics"),
        traces: behindDaysOf(policy, "traces"),
      },
      ahead_seconds: policy.timestamps.aheadSeconds,
    },
  };
}

export function usageBody(usage: TelemetryUsage, { storedBytesMax, ingest }: TelemetryPolicy): UsageBody {
  const stored = Object.values(usage).reduce((sum, { bytes }) => sum + bytes, 0);
  return {
    types: { logs: typeBody(usage, "logs"), metrics: typeBody(usage, "metrics"), traces: typeBody(usage, "traces") },
    stored_bytes: stored,
    quota: {
      stored_bytes_max: storedBytesMax,
      stored_bytes_left: storedBytesMax === null ? null : Math.max(0, storedBytesMax - stored),
      ingest_bytes_per_second: ingest?.bytesPerSecond ?? null,
      ingest_bytes_burst: ingest?.burstBytes ?? null,
    },
  };
}

function typeBody(usage: TelemetryUsage, type: TelemetryType): UsageBody["types"]["logs"] {
  const { rows, bytes, parquetBytes, hotBytes, files, oldestUs, newestUs } = usage[type];
  return {
    rows,
    bytes,
    parquet_bytes: parquetBytes,
    pending_bytes: hotBytes,
    files,
    oldest: oldestUs === null ? null : isoFromUs(oldestUs),
    newest: newestUs === null ? null : isoFromUs(newestUs),
  };
}

export function erasureBody({ row, parts, state }: Erasure): ErasureBody {
  return {
    id: row.id,
    state,
    types: JSON.parse(row.types) as ErasureBody["types"],
    match_digest: row.match_digest,
    rows_erased: parts.reduce((sum, part) => sum + part.rows_erased, 0),
    files_rewritten: parts.reduce((sum, part) => sum + part.files_rewritten, 0),
    quarantined: parts.flatMap((part) => JSON.parse(part.quarantined) as string[]),
    directories: parts.map((part) => ({
      id: part.store_id,
      state: part.state,
      rows_erased: part.rows_erased,
      detail: part.detail,
      finished_at: isoOrNull(part.finished_at),
    })),
    created_by: row.created_by,
    created_at: isoFromMs(row.created_at),
    finished_at: isoOrNull(row.finished_at),
  };
}

function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : isoFromMs(ms);
}
