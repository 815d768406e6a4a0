import type { AuditFilters } from "#domain/audit/index.ts";
import type { PageQuery } from "#domain/organizations/index.ts";
import { msFromIso } from "#kernel/time.ts";

const LIMIT_DEFAULT = 50;

export function pageOf(query: { limit?: number; cursor?: string }): PageQuery {
  return { limit: query.limit ?? LIMIT_DEFAULT, cursor: query.cursor };
}

/** Returns the end that a body names. Null: no end. Undefined: the body does not name it. */
export function endOf(text: string | null | undefined): number | null | undefined {
  return typeof text === "string" ? msFromIso(text) : text;
}

export function filtersOf(query: {
  actor?: string;
  action?: string;
  target?: string;
  result?: AuditFilters["result"];
  request_id?: string;
  from?: string;
  to?: string;
}): AuditFilters {
  return {
    actorId: query.actor,
    action: query.action,
    targetId: query.target,
    result: query.result,
    requestId: query.request_id,
    fromMs: query.from === undefined ? undefined : msFromIso(query.from),
    toMs: query.to === undefined ? undefined : msFromIso(query.to),
  };
}
