import type { ResultOf, TELEMETRY_SETTINGS_ROUTES } from "@mooring/contract";
import { masksOf, matchOf, typesOf, type IngestRuleRow, type RuleMatch } from "#domain/ingest-rules/index.ts";
import { Problem, type ProblemPlace } from "#kernel/problem.ts";
import { isoFromMs } from "#kernel/time.ts";
import type { TelemetryType } from "#stores/telemetry/index.ts";

type IngestRuleBody = ResultOf<typeof TELEMETRY_SETTINGS_ROUTES.getIngestRule>;

export function ingestRuleBody(row: IngestRuleRow): IngestRuleBody {
  return {
    id: row.id,
    name: row.name,
    enabled: row.enabled === 1,
    order: row.position,
    types: typesOf(row),
    project_id: row.project_id,
    key_id: row.sender,
    match: matchOf(row) as IngestRuleBody["match"],
    action: row.action,
    keep_one_of: row.keep_one_of,
    masks: masksOf(row),
    rows_matched: row.rows_matched,
    rows_removed: row.rows_removed,
    rows_masked: row.rows_masked,
    counted_at: row.counted_at === null ? null : isoFromMs(row.counted_at),
    created_by: row.created_by,
    created_at: isoFromMs(row.created_at),
    updated_by: row.updated_by,
    updated_at: isoFromMs(row.updated_at),
  };
}

/** The members of match that only some types have. */
const TYPES_OF: Readonly<Partial<Record<keyof RuleMatch, readonly TelemetryType[]>>> = {
  level: ["logs"],
  severity_from: ["logs"],
  severity_below: ["logs"],
  message_contains: ["logs"],
  name: ["metrics", "traces"],
};

interface Parts {
  readonly action: IngestRuleRow["action"];
  readonly types: readonly TelemetryType[];
  readonly match: RuleMatch;
  readonly keepOneOf: number | null;
  readonly masks: readonly string[] | null;
}

/** Checks that the parts of a rule fit together. @throws Problem `invalid_body` */
export function requireFitting({ action, types, match, keepOneOf, masks }: Parts): void {
  const errors: ProblemPlace[] = [];
  for (const name of Object.keys(match) as (keyof RuleMatch)[]) {
    const strangers = types.filter((type) => TYPES_OF[name]?.includes(type) === false);
    if (strangers.length > 0)
      errors.push({ pointer: `/match/${name}`, detail: `is not a member of ${strangers.join(", ")}` });
  }
  const needs = (isNeeded: boolean, isGiven: boolean, pointer: string): void => {
    if (isNeeded !== isGiven)
      errors.push({ pointer, detail: isNeeded ? `is required for ${action}` : `does not belong to ${action}` });
  };
  needs(action === "sample", keepOneOf !== null, "/keep_one_of");
  needs(action === "mask", masks !== null, "/masks");
  const { severity_from: from, severity_below: below } = match;
  if (from !== undefined && below !== undefined && from >= below)
    errors.push({ pointer: "/match/severity_below", detail: "must be greater than severity_from" });
  if (errors.length > 0) throw new Problem("invalid_body", "The parts of the rule do not fit together.", { errors });
}
