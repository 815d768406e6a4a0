import type { BodyOf, ResultOf, TELEMETRY_SETTINGS_ROUTES } from "@mooring/contract";
import { requireOrganization } from "#domain/identity/index.ts";
import {
  countPast,
  putRetentionRules,
  retentionRulesOf,
  versionOf,
  type RetentionRules,
} from "#domain/telemetry/index.ts";
import { Problem, type ProblemPlace } from "#kernel/problem.ts";
import { isoFromMs } from "#kernel/time.ts";
import { etagOf } from "#kernel/versions.ts";
import { RULE_MEMBERS, type RetentionChoice, type RetentionRule } from "#stores/telemetry/index.ts";
import { countingOf } from "../counting.ts";
import type { TelemetrySettingsOperation, TelemetrySettingsSurfaceDeps } from "../deps.ts";

type Rows = typeof TELEMETRY_SETTINGS_ROUTES;
type Body = BodyOf<Rows["updateRetentionRules"]>;

/** Different numbers of days. More of them would leave few files whose rows are all past. */
const CLASSES_MAX = 4;
const HOUR_MS = 3_600_000;

export const getRetentionRules: TelemetrySettingsOperation<"getRetentionRules"> = async (
  deps,
  _input,
  { principal, reply },
) => {
  requireOrganization(principal, "org:read");
  const present = await retentionRulesOf(deps, principal.orgId);
  void reply.header("etag", etagOf(versionOf(present)));
  return rulesBody(deps, present);
};

/** @throws Problem `forbidden`, `invalid_body`, `concurrent_update`, `limit_reached` */
export const updateRetentionRules: TelemetrySettingsOperation<"updateRetentionRules"> = async (
  deps,
  { body },
  { principal, ip, requestId, request, reply },
) => {
  requireOrganization(principal, "org:write");
  const rules = rulesOf(body, deps.retentionDaysMax);
  const wanted = { rules, days: body.retention_days ?? {}, ifMatch: request.headers["if-match"] };
  const present = await putRetentionRules(deps, { principal, ip, requestId }, principal.orgId, wanted);
  void reply.header("etag", etagOf(versionOf(present)));
  await deps.store.refresh();
  return rulesBody(deps, present);
};

/** @throws Problem `forbidden`, `insufficient_scope`, `invalid_body`, and as a query does */
export const previewRetentionRules: TelemetrySettingsOperation<"previewRetentionRules"> = async (
  deps,
  { body },
  context,
) => {
  const { principal } = context;
  requireOrganization(principal, "org:write");
  const present = await retentionRulesOf(deps, principal.orgId);
  const rules = rulesOf(body, deps.retentionDaysMax);
  const choice = { rules, days: { ...present.days, ...body.retention_days } };
  const { types, isComplete } = await countPast(deps, countingOf(deps, context), choice);
  return {
    is_complete: isComplete,
    types: types.map(({ type, rows: shown, rowsPast, bytesPast, oldest }) => ({
      type,
      rows: shown,
      rows_past: rowsPast,
      share: shown === 0 ? 0 : rowsPast / shown,
      bytes_past: bytesPast,
      oldest,
    })),
  };
};

function rulesOf({ rules, retention_days: days = {} }: Body, daysMax: number | null): RetentionRule[] {
  const errors: ProblemPlace[] = [];
  for (const [i, { type, match, days: of }] of rules.entries()) {
    for (const name of Object.keys(match) as (keyof typeof match)[])
      if (!RULE_MEMBERS[type].includes(name))
        errors.push({ pointer: `/rules/${i}/match/${name}`, detail: `is not a member of ${type}` });
    if (daysMax !== null && of > daysMax)
      errors.push({ pointer: `/rules/${i}/days`, detail: `must be at most ${daysMax}` });
  }
  for (const [type, of] of Object.entries(days))
    if (daysMax !== null && typeof of === "number" && of > daysMax)
      errors.push({ pointer: `/retention_days/${type}`, detail: `must be at most ${daysMax}` });
  if (new Set(rules.map((rule) => rule.days)).size > CLASSES_MAX)
    errors.push({ pointer: "/rules", detail: `must have at most ${CLASSES_MAX} different numbers of days` });
  if (errors.length > 0)
    throw new Problem("invalid_body", "The rules are not valid, so nothing is changed.", { errors });
  return rules.map(({ name, type, match, days: of }) => ({ name, type, match, days: of }));
}

function rulesBody(
  { retentionGraceMs, retentionDeleteMs }: TelemetrySettingsSurfaceDeps,
  { former, ...present }: RetentionRules,
): ResultOf<Rows["getRetentionRules"]> {
  return {
    ...choiceBody(present),
    former: former.map(({ untilMs, ...choice }) => ({ until: isoFromMs(untilMs), ...choiceBody(choice) })),
    grace_hours: retentionGraceMs / HOUR_MS,
    delete_hours: retentionDeleteMs / HOUR_MS,
  };
}

function choiceBody({
  rules,
  days,
}: RetentionChoice): Pick<ResultOf<Rows["getRetentionRules"]>, "rules" | "retention_days"> {
  const { logs = null, metrics = null, traces = null } = days;
  return { rules: rules.map((rule) => ({ ...rule })), retention_days: { logs, metrics, traces } };
}
