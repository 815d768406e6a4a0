import type { BodyOf, TELEMETRY_SETTINGS_ROUTES } from "@mooring/contract";
import { answering } from "#domain/idempotency/index.ts";
import { createErasure, getErasure, listErasures, type ErasureInput } from "#domain/telemetry/index.ts";
import { requireOrganization } from "#domain/identity/index.ts";
import { Problem, type ProblemPlace } from "#kernel/problem.ts";
import { usFromIso } from "#kernel/time.ts";
import { MATCHABLE, type ErasureMatch } from "#stores/telemetry/index.ts";
import type { TelemetrySettingsOperation } from "../deps.ts";
import { erasureBody } from "../model-settings.ts";

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

type Body = BodyOf<typeof TELEMETRY_SETTINGS_ROUTES.createTelemetryErasure>;

/**
 * Creates an erasure. Only owners, admins and credentials of the whole organization may do so, since the rows may
 * belong to any project.
 * @throws Problem `forbidden`, `invalid_body` for a match on members that rows of a type don't have, or an empty time
 *   range
 */
export const createTelemetryErasure: TelemetrySettingsOperation<"createTelemetryErasure"> = async (
  deps,
  { body },
  { principal, ip, requestId },
) => {
  requireOrganization(principal, "org:write");
  const caller = { principal, ip, requestId, createdBy: principal.id };
  const input = inputOf(body);
  const answer = await answering(erasureBody, () => createErasure(deps, caller, principal.orgId, input));
  await deps.store.refresh();
  return answer;
};

function inputOf(body: Body): ErasureInput {
  const fromUs = body.from === undefined ? null : usFromIso(body.from);
  const toUs = body.to === undefined ? null : usFromIso(body.to);
  const errors: ProblemPlace[] = [];
  for (const [name, us] of Object.entries({ from: fromUs, to: toUs })) {
    if (us !== null && !Number.isSafeInteger(us))
      errors.push({ pointer: `/${name}`, detail: "must be a time from the year 1684 to 2255" });
  }
  if (fromUs !== null && toUs !== null && fromUs >= toUs) errors.push({ pointer: "/to", detail: "must be after from" });
  for (const name of Object.keys(body.match) as (keyof ErasureMatch)[]) {
    const strangers = body.types.filter((type) => !MATCHABLE[type].includes(name));
    if (strangers.length > 0)
      errors.push({ pointer: `/match/${name}`, detail: `is not a member of ${strangers.join(", ")}` });
  }
  if (errors.length > 0) throw new Problem("invalid_body", "The match is not valid, so nothing is erased.", { errors });
  return { types: body.types, fromUs, toUs, match: wellFormed(body.match) };
}

/** Normalizes texts as ingestion does. */
function wellFormed(match: Body["match"]): ErasureMatch {
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
