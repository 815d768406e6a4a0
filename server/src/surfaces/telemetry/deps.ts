import type { ALERT_ROUTES, TELEMETRY_ROUTES, TELEMETRY_SETTINGS_ROUTES } from "@mooring/contract";
import type { AlertsDeps } from "#domain/alerts/index.ts";
import type { SenderProjects } from "#domain/identity/index.ts";
import type { IngestRulesDeps, RuleCounter, RuleSets } from "#domain/ingest-rules/index.ts";
import type { RefusedEntries } from "#domain/refused-entries/index.ts";
import type { HttpHost, Operation } from "#http/index.ts";
import type { Clock } from "#kernel/time.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { TelemetryStore } from "#stores/telemetry/index.ts";
import type { Skipped } from "./protocols/skipped.ts";
import type { Tails } from "./tail/tails.ts";
import type { EncoderPool } from "./wire/pool.ts";

/** The rules that apply to rows before they are stored, and their counts. */
export interface IngestRuleParts {
  readonly sets: Pick<RuleSets, "of">;
  readonly counter: Pick<RuleCounter, "add">;
}

export interface TelemetrySurfaceDeps {
  readonly host: HttpHost;
  readonly store: TelemetryStore;
  readonly encoders: EncoderPool;
  readonly metadata: Pick<MetadataStore, "read">;
  readonly tails: Tails;
  /** The projects that resources of OTLP may name; absent: none. */
  readonly senderProjects?: Pick<SenderProjects, "known" | "resolve">;
  /** Rules for the rows of senders. Absent: none. */
  readonly rules?: IngestRuleParts;
  /** Counts refused entries by sender and reason; absent: nobody reads the counts. */
  readonly refused?: Pick<RefusedEntries, "add">;
  /** Counts values without a row; absent: nobody reads the counts. */
  readonly skipped?: Skipped;
}

export interface TelemetrySettingsSurfaceDeps {
  readonly host: HttpHost;
  readonly metadata: MetadataStore;
  readonly store: Pick<TelemetryStore, "policy" | "usage" | "refresh" | "query" | "pastSql">;
  /** Announces changes of rules to every node. */
  readonly feed: IngestRulesDeps["feed"];
  readonly clock: Clock;
  /** The most days that an organization may choose; null: no limit. */
  readonly retentionDaysMax: number | null;
  readonly retentionGraceMs: number;
  readonly retentionDeleteMs: number;
  /** Returns the backups that began after a time, newest first. */
  readonly backupsSince: (ms: number) => Promise<readonly { readonly name: string; readonly startedMs: number }[]>;
  /** Returns a keyed hash. Equal texts have equal hashes, and nobody without the key can find a text by trying. */
  readonly digest: (text: string) => string;
}

export interface AlertsSurfaceDeps extends AlertsDeps {
  readonly host: HttpHost;
}

export type AlertOperation<Name extends keyof typeof ALERT_ROUTES> = Operation<
  AlertsSurfaceDeps,
  (typeof ALERT_ROUTES)[Name]
>;

export type TelemetrySettingsOperation<Name extends keyof typeof TELEMETRY_SETTINGS_ROUTES> = Operation<
  TelemetrySettingsSurfaceDeps,
  (typeof TELEMETRY_SETTINGS_ROUTES)[Name]
>;

export type TelemetryOperation<Name extends keyof typeof TELEMETRY_ROUTES> = Operation<
  TelemetrySurfaceDeps,
  (typeof TELEMETRY_ROUTES)[Name]
>;
