import {
  ALLOWING_ACTS,
  REFUSAL_RULES,
  REFUSALS_KEPT_DAYS,
  type AllowingAct,
  type ORGANIZATION_ROUTES,
  type ResultOf,
} from "@mooring/contract";
import { findRefused, keptSince, listRefused, type SeenRequest } from "#domain/requests/index.ts";
import { Problem } from "#kernel/problem.ts";
import { isoFromMs } from "#kernel/time.ts";
import type { OrganizationOperation } from "../deps.ts";
import { pageOf } from "../query.ts";

type Shown = ResultOf<typeof ORGANIZATION_ROUTES.getRequest>["items"][number];

export const getRequest: OrganizationOperation<"getRequest"> = async (deps, { params }, { principal }) => {
  const found = await findRefused(deps, principal, params.request_id);
  if (found.length === 0) throw notKept();
  return { items: found.map(requestBody), kept_since: isoFromMs(await keptSince(deps)) };
};

export const listRequests: OrganizationOperation<"listRequests"> = async (deps, { query }, { principal }) => {
  const { limit, cursor } = pageOf(query);
  const { items, nextCursor } = await listRefused(deps, principal, { limit, cursor });
  return { items: items.map(requestBody), next_cursor: nextCursor, kept_since: isoFromMs(await keptSince(deps)) };
};

function notKept(): Problem {
  const detail = `There is no refused request with this identifier, or you may not see it. Refused requests are kept for ${REFUSALS_KEPT_DAYS} days at most.`;
  return new Problem("not_found", detail);
}

function requestBody({ id, clientId, atMs, record, actorName, repeats }: SeenRequest): Shown {
  const { surface, operation, method, status, code, detail, actor, ip, userAgent } = record;
  return {
    request_id: id,
    client_request_id: clientId,
    at: isoFromMs(atMs),
    surface,
    operation,
    method,
    status,
    code,
    detail,
    actor: actor && { kind: actor.kind, id: actor.id, name: actorName, token_id: actor.tokenId ?? null },
    address: ip,
    user_agent: userAgent,
    decided_by: decisionBody(record),
    would_allow: record.wouldAllow.map(({ act, to, value, by }) => ({
      act: act as AllowingAct,
      meaning: ALLOWING_ACTS[act as AllowingAct],
      to,
      value,
      by: [...by],
    })),
    more: { same_minute: repeats },
  };
}

function decisionBody({
  rule,
  permission,
  resource,
  policy,
  limit,
  held,
  lostAt,
}: SeenRequest["record"]): Shown["decided_by"] {
  return {
    rule,
    meaning: REFUSAL_RULES[rule],
    permission,
    resource: resource && { kind: resource.kind, id: resource.id, project_id: resource.projectId },
    policy,
    limit: limit && {
      name: limit.name,
      max: limit.max,
      value: limit.value,
      until: limit.untilMs === null ? null : isoFromMs(limit.untilMs),
    },
    held: held && [...held],
    lost_at: lostAt,
  };
}
