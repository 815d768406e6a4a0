import type { INGEST_MASKS, INGEST_RULE_ACTIONS } from "@mooring/contract";
import type { TelemetryType } from "#stores/telemetry/index.ts";
import type { IngestRuleRow } from "./store.ts";

export type MaskName = (typeof INGEST_MASKS)[number];

/** The values that a row must have. All must match; without any, every row matches. */
export interface RuleMatch {
  readonly service?: string | undefined;
  /** The word of a log's level, in any case. */
  readonly level?: string | undefined;
  /** Logs of at least this severity number. */
  readonly severity_from?: number | undefined;
  /** Logs of less than this severity number. */
  readonly severity_below?: number | undefined;
  /** The name of a metric or span. */
  readonly name?: string | undefined;
  /** A part of a log's message. */
  readonly message_contains?: string | undefined;
  /** Attributes or tags, by key or JSON pointer. */
  readonly attributes?: Readonly<Record<string, string>> | undefined;
}

export type RuleAction =
  | { readonly kind: "drop" }
  /** Keeps one of so many rows. All rows of a trace have the same result. */
  | { readonly kind: "sample"; readonly oneOf: number }
  | { readonly kind: "mask"; readonly masks: readonly MaskName[] };

/** A rule as it is applied. Plain data, which a thread can send. */
export interface Rule {
  readonly id: string;
  readonly types: readonly TelemetryType[];
  /** Only rows of this project. Null: all rows. */
  readonly projectId: string | null;
  /** Only rows of this credential. Null: all rows. */
  readonly sender: string | null;
  readonly match: RuleMatch;
  readonly action: RuleAction;
}

export function ruleOf(row: IngestRuleRow): Rule {
  return {
    id: row.id,
    types: typesOf(row),
    projectId: row.project_id,
    sender: row.sender,
    match: matchOf(row),
    action: actionOf(row.action, { keepOneOf: row.keep_one_of, masks: masksOf(row) }),
  };
}

export function typesOf({ types }: Pick<IngestRuleRow, "types">): TelemetryType[] {
  return JSON.parse(types) as TelemetryType[];
}

export function matchOf({ match }: Pick<IngestRuleRow, "match">): RuleMatch {
  return JSON.parse(match) as RuleMatch;
}

export function masksOf({ masks }: Pick<IngestRuleRow, "masks">): MaskName[] | null {
  return masks === null ? null : (JSON.parse(masks) as MaskName[]);
}

export function actionOf(
  kind: (typeof INGEST_RULE_ACTIONS)[number],
  { keepOneOf, masks }: { readonly keepOneOf: number | null; readonly masks: readonly MaskName[] | null },
): RuleAction {
  if (kind === "sample") return { kind, oneOf: keepOneOf ?? 1 };
  return kind === "mask" ? { kind, masks: masks ?? [] } : { kind };
}
