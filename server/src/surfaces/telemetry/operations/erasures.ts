import type { BodyOf, TELEMETRY_SETTINGS_ROUTES } from "@mooring/contract";
import { answering } from "#domain/idempotency/index.ts";
import {
  countErasure,
  createErasure,
  getErasure,
  listErasures,
  requireExpected,
  type ErasureInput,
} from "#domain/telemetry/index.ts";
import { requireOrganization } from "#domain/identity/index.ts";
import { Problem, type ProblemPlace } from "#kernel/problem.ts";
import { isoFromMs, usFromIso } from "#kernel/time.ts";
import { MATCHABLE, type ErasureMatch } from "#stores/telemetry/index.ts";
import { countingOf, type CountingContext } from "../counting.ts";
import type { TelemetrySettingsOperation, TelemetrySettingsSurfaceDeps } from "../deps.ts";
import { erasureBody } from "../model-settings.ts";

const BACKUPS_MAX = 100;
const LIMIT_DEFAULT = 50;

export const listTelemetryErasures: TelemetrySettingsOperation<"listTelemetryErasures"> = async (
  deps,
  { query },
  { principal },
) => {
  requireOrganization(principal, "org:write");
  const wanted = { limit: query.limit ?? LIMIT_DEFAULT, cursor: query.cursor };
  const { items, nextCursor } = await listErasures(deps, principal.orgId, wanted);
  return { items: items.map(erasureBody), next_cursor: nextCursor };
};

type Choice = BodyOf<typeof TELEMETRY_SETTINGS_ROUTES.previewTelemetryErasure>;

/**
 * `POST /v1/telemetry/erasures/preview`: counts the rows that the caller may see.
 * @throws Problem `forbidden`, `insufficient_scope`, `invalid_body`, and as a query does
 */
export const previewTelemetryErasure: TelemetrySettingsOperation<"previewTelemetryErasure"> = async (
  deps,
  { body },
  context,
) => {
  requireOrganization(context.principal, "org:write");
  const { types, rows, isComplete } = await countErasure(deps, countingOf(deps, context), inputOf(body));
  const oldest = types.flatMap((each) => (each.oldest === null ? [] : [Date.parse(each.oldest)]));
  const backups = oldest.length === 0 ? [] : await deps.backupsSince(Math.min(...oldest));
  return {
    rows,
    is_complete: isComplete,
    types: [...types],
    backups: backups.slice(0, BACKUPS_MAX).map((each) => ({
      name: each.name,
      started_at: isoFromMs(each.startedMs),
    })),
  };
};

/**
 * Creates an erasure. Only owners, admins and credentials of the whole organization may do so, since the rows may
 * belong to any project.
 * @throws Problem `forbidden`, `invalid_body` for a match on members that rows of a type don't have, or an empty time
 *   range, `more_rows_match`, and as a query does
 */
export const createTelemetryErasure: TelemetrySettingsOperation<"createTelemetryErasure"> = async (
  deps,
  { body },
  context,
) => {
  const { principal, ip, requestId } = context;
  requireOrganization(principal, "org:write");
  const caller = { principal, ip, requestId, createdBy: principal.id };
  const input = await expected(deps, context, body);
  const answer = await answering(erasureBody, () => createErasure(deps, caller, principal.orgId, input));
  await deps.store.refresh();
  return answer;
};

/** Counts the rows if the caller has said how many they expect, and returns the input with its checked condition. */
async function expected(
  deps: TelemetrySettingsSurfaceDeps,
  context: CountingContext,
  { rows_expected: rowsExpected, ...choice }: BodyOf<typeof TELEMETRY_SETTINGS_ROUTES.createTelemetryErasure>,
): Promise<ErasureInput> {
  const input = inputOf(choice, rowsExpected === undefined ? NO_COUNT : []);
  if (rowsExpected === undefined) return input;
  const counted = await countErasure(deps, countingOf(deps, context), input);
  requireExpected(counted, rowsExpected);
  return counted.input;
}

const NO_COUNT: readonly ProblemPlace[] = [
  { pointer: "/rows_expected", detail: "is required with where: the rows of a preview" },
];

/** `withWhere`: errors of a body that has a condition in SQL. */
function inputOf(body: Choice, withWhere: readonly ProblemPlace[] = []): ErasureInput {
  const fromUs = body.from === undefined ? null : usFromIso(body.from);
  const toUs = body.to === undefined ? null : usFromIso(body.to);
  const errors: ProblemPlace[] = [];
  for (const [name, us] of Object.entries({ from: fromUs, to: toUs })) {
    if (us !== null && !Number.isSafeInteger(us))
      errors.push({ pointer: `/${name}`, detail: "must be a time from the year 1684 to 2255" });
  }
  if (fromUs !== null && toUs !== null && fromUs >= toUs) errors.push({ pointer: "/to", detail: "must be after from" });
  errors.push(...(body.where === undefined ? matchErrors(body) : [...whereErrors(body), ...withWhere]));
  if (errors.length > 0)
    throw new Problem("invalid_body", "The request is not valid, so nothing is erased.", { errors });
  const match = body.where === undefined ? wellFormed(body.match ?? {}) : { where: body.where.toWellFormed() };
  return { types: body.types, fromUs, toUs, match };
}

function whereErrors({ types, match }: Choice): ProblemPlace[] {
  return [
    ...(match === undefined ? [] : [{ pointer: "/match", detail: "can't be combined with where" }]),
    ...(types.length === 1 ? [] : [{ pointer: "/types", detail: "must be one type with where" }]),
  ];
}

function matchErrors({ types, match }: Choice): ProblemPlace[] {
  if (match === undefined) return [{ pointer: "/match", detail: "is required, or where" }];
  const own = types.filter((type) => type === "access_log" || type === "query_log" || type === "webhook_events");
  const errors = own.map((type) => ({ pointer: "/types", detail: `${type} needs where` }));
  for (const name of Object.keys(match) as (keyof ErasureMatch)[]) {
    const strangers = types.filter((type) => !MATCHABLE[type].includes(name));
    if (strangers.length > 0)
      errors.push({ pointer: `/match/${name}`, detail: `is not a member of ${strangers.join(", ")}` });
  }
  return errors;
}

/** Normalizes texts as ingestion does. */
function wellFormed(match: NonNullable<Choice["match"]>): ErasureMatch {
  const text = JSON.stringify(match);
  return JSON.parse(text, (_key, value: unknown) =>
    typeof value === "string" ? value.toWellFormed() : value,
  ) as ErasureMatch;
}

export const getTelemetryErasure: TelemetrySettingsOperation<"getTelemetryErasure"> = async (
  deps,
  { params },
  { principal },
) => {
  requireOrganization(principal, "org:write");
  return erasureBody(await getErasure(deps, principal.orgId, params.erasure_id));
};
