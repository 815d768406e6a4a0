import type { TelemetryType } from "../columns.ts";
import { isSpoolTable, SPOOL_TABLES, STORED_TABLES, type StoredTable } from "../spool/tables.ts";
import { predicateSql, type ErasureMatch } from "./predicate.ts";
import type { RetentionSettings } from "./settings.ts";

/** The values that a rule of retention can match. A row must have all of them. */
type RetentionMatch = Pick<ErasureMatch, "project_id" | "service" | "level" | "name" | "attributes" | "tags">;

/** Rows of one type that are kept for other days than the type. */
export interface RetentionRule {
  readonly name: string;
  readonly type: TelemetryType;
  readonly match: RetentionMatch;
  readonly days: number;
}

/** What an organization has chosen: its rules in order, and the days of each table. Null: the server's default. */
export interface RetentionChoice {
  readonly rules: readonly RetentionRule[];
  readonly days: Readonly<Partial<Record<StoredTable, number | null>>>;
}

/** A choice that was replaced. Until this time, rows that it keeps are still kept. */
export interface FormerChoice extends RetentionChoice {
  readonly untilMs: number;
}

/** A choice with the server's default and maximum. Null: kept until deleted. */
export interface RetentionPlan {
  readonly rules: readonly RetentionRule[];
  readonly days: Readonly<Record<StoredTable, number | null>>;
  /** Null: the present plan. */
  readonly untilMs: number | null;
}

/** The rows of a table that are kept at one moment: those that any of the plans keeps. */
export interface KeptRows {
  readonly plans: readonly KeptByPlan[];
}

interface KeptByPlan {
  /** In order. The first rule that matches a row decides. */
  readonly rules: readonly { readonly match: RetentionMatch; readonly fromUs: number | null }[];
  readonly fromUs: number | null;
}

const DAY_US = 86_400_000_000;
const US_PER_MS = 1000;

export function planOf(
  { rules, days }: RetentionChoice,
  settings: Pick<RetentionSettings, "days" | "daysMax">,
  untilMs: number | null = null,
): RetentionPlan {
  const effective = STORED_TABLES.map((type) => [type, effectiveDays(days[type], type, settings)]);
  const bounded = rules.map((rule) => ({ ...rule, days: Math.min(rule.days, settings.daysMax ?? rule.days) }));
  return { rules: bounded, days: Object.fromEntries(effective) as RetentionPlan["days"], untilMs };
}

/** Returns the organization's setting, otherwise the default. The server's maximum limits both. */
function effectiveDays(
  own: number | null | undefined,
  type: StoredTable,
  settings: Pick<RetentionSettings, "days" | "daysMax">,
): number | null {
  const days = own ?? (isSpoolTable(type) ? SPOOL_TABLES[type].days : settings.days[type]) ?? Number.POSITIVE_INFINITY;
  const bounded = Math.min(days, settings.daysMax ?? Number.POSITIVE_INFINITY);
  return bounded === Number.POSITIVE_INFINITY ? null : bounded;
}

/** Returns the most days that a plan keeps a row of the table. Null: until somebody deletes it. */
export function longestDays({ rules, days }: RetentionPlan, type: StoredTable): number | null {
  const all = [days[type], ...rules.filter((rule) => rule.type === type).map((rule) => rule.days)];
  return all.includes(null) ? null : Math.max(...all.map(Number));
}

/** Returns the time of the oldest row that any plan keeps. */
export function oldestUs(plans: readonly RetentionPlan[], type: StoredTable, nowMs: number): number | undefined {
  const active = plans.filter(({ untilMs }) => untilMs === null || untilMs > nowMs);
  const days = active.map((plan) => longestDays(plan, type));
  return days.includes(null) ? undefined : nowMs * US_PER_MS - Math.max(...days.map(Number)) * DAY_US;
}

/**
 * Returns the rows that are kept, if that does not depend on their time alone. Undefined: `oldestUs` is enough, because no
 * active plan has a rule for the table.
 */
export function keptRows(plans: readonly RetentionPlan[], type: StoredTable, nowMs: number): KeptRows | undefined {
  const active = plans.filter(({ untilMs }) => untilMs === null || untilMs > nowMs);
  const fromUs = (days: number | null): number | null => (days === null ? null : nowMs * US_PER_MS - days * DAY_US);
  const kept = active.map((plan) => ({
    rules: plan.rules.filter((rule) => rule.type === type).map(({ match, days }) => ({ match, fromUs: fromUs(days) })),
    fromUs: fromUs(plan.days[type]),
  }));
  return kept.every(({ rules }) => rules.length === 0) ? undefined : { plans: kept };
}

/** Returns the time from which on every row is kept. Undefined: there is none. */
export function newestCutUs({ plans }: KeptRows): number | undefined {
  const cuts = plans.map(({ rules, fromUs }) =>
    Math.max(...[...rules, { fromUs }].map((of) => of.fromUs ?? -Infinity)),
  );
  const newest = Math.min(...cuts);
  return Number.isFinite(newest) ? newest : undefined;
}

/** Returns SQL that is true for the rows that are kept. It contains only our own numbers and literals. */
export function keptSql(type: StoredTable, kept: KeptRows): string {
  const newest = newestCutUs(kept);
  const parts = kept.plans.map(({ rules, fromUs }) => {
    const cases = rules.map(({ match, fromUs: from }) => `WHEN ${matchSql(type, match)} THEN ${since(from)}`);
    return cases.length === 0 ? since(fromUs) : `CASE ${cases.join(" ")} ELSE ${since(fromUs)} END`;
  });
  // The cheap condition comes first, because most rows are new.
  return `(${[...(newest === undefined ? [] : [since(newest)]), ...parts].join(" OR ")})`;
}

function matchSql(type: StoredTable, match: RetentionMatch): string {
  return predicateSql(type, { fromUs: null, toUs: null, match });
}

function since(us: number | null): string {
  return us === null ? "true" : `"timestamp" >= make_timestamptz(${Math.ceil(us)})`;
}

/** Returns the members that rules of a type can match. */
export const RULE_MEMBERS: Readonly<Record<TelemetryType, readonly (keyof RetentionMatch)[]>> = {
  logs: ["project_id", "service", "level", "attributes"],
  metrics: ["project_id", "service", "name", "tags"],
  traces: ["project_id", "service", "name", "attributes"],
};

/** Parses what `telemetry_policy` has of an organization. */
export function choiceOf(row: PolicyColumns | undefined): RetentionChoice {
  return { rules: parsed<RetentionRule[]>(row?.retention_rules), days: daysOf(row) };
}

export function formerOf(row: Pick<PolicyColumns, "retention_before"> | undefined): readonly FormerChoice[] {
  return parsed<FormerChoice[]>(row?.retention_before);
}

type PolicyColumns = Readonly<
  { retention_rules: string | null; retention_before: string | null } & Record<
    `retention_days_${StoredTable}`,
    number | null
  >
>;

function daysOf(row: PolicyColumns | undefined): RetentionChoice["days"] {
  return Object.fromEntries(STORED_TABLES.map((type) => [type, row?.[`retention_days_${type}`] ?? null]));
}

function parsed<T extends readonly unknown[]>(text: string | null | undefined): T {
  return JSON.parse(text ?? "[]") as T;
}

/** Returns whether two choices keep the same rows. */
export function isSameChoice(a: RetentionChoice, b: RetentionChoice): boolean {
  const textOf = ({ rules, days }: RetentionChoice): string =>
    JSON.stringify([rules, STORED_TABLES.map((type) => days[type] ?? null)]);
  return textOf(a) === textOf(b);
}
