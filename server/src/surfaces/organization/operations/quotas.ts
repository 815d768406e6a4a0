import { QUOTA_NEAR, type ResultOf, type USAGE_ROUTES } from "@mooring/contract";
import { absent, requireOrganization, type Principal } from "#domain/identity/index.ts";
import { auditOrigin, projectIfNamed, visibleProjects } from "#domain/organizations/index.ts";
import { changeQuota, quotaRows, quotaSetting, targetOf, usedBy, type TargetScope } from "#domain/quotas/index.ts";
import { decodeCursor, encodeCursor } from "#kernel/cursor.ts";
import { etagOf } from "#kernel/versions.ts";
import type { UsageOperation, UsageSurfaceDeps } from "../deps.ts";

type Body = ResultOf<typeof USAGE_ROUTES.getQuota>;
type Named = { readonly name: string; readonly project_id: string };

const LIMIT_DEFAULT = 50;

export const listQuotas: UsageOperation<"listQuotas"> = async (deps, { query }, { principal }) => {
  requireOrganization(principal, "org:read");
  const { limit = LIMIT_DEFAULT, cursor } = query;
  const after = cursor === undefined ? undefined : decodeCursor(cursor, ["string", "string"]);
  const rows = await quotaRows(deps.metadata.read, principal.orgId, { after, limit: limit + 1 });
  const items: Body[] = [];
  const visible = await visibleProjects(deps.metadata, principal, "projects:read");
  for (const { scope, target_id: id, bytes_max: max } of rows.slice(0, limit)) {
    const named = await namedIn(deps, principal, scope, id).catch(() => undefined);
    if (named === undefined || (visible !== "all" && !visible.projectIds.includes(named.project_id))) continue;
    items.push(await bodyOf(deps, principal.orgId, { scope, id, named, max }));
  }
  const last = rows[limit - 1];
  const next = rows.length > limit && last !== undefined ? encodeCursor([last.scope, last.target_id]) : null;
  return { items, next_cursor: next };
};

/** @throws Problem `not_found` for a target that is absent or hidden */
export const getQuota: UsageOperation<"getQuota"> = async (deps, { params }, { principal, reply }) => {
  requireOrganization(principal, "org:read");
  requireOrganization(principal, "projects:read");
  const { scope, target_id: id } = params;
  const { orgId } = principal;
  const named = await namedIn(deps, principal, scope, id);
  const own = await quotaSetting(deps.metadata.read, { orgId, scope, id });
  void reply.header("etag", etagOf(own));
  return bodyOf(deps, orgId, { scope, id, named, max: own.max_bytes });
};

/** @throws Problem `not_found`, `concurrent_update` */
export const updateQuota: UsageOperation<"updateQuota"> = async (
  deps,
  { params, body },
  { principal, ip, requestId, request, reply },
) => {
  requireOrganization(principal, "org:write");
  requireOrganization(principal, "projects:read");
  const { scope, target_id: id } = params;
  const { orgId } = principal;
  const named = await namedIn(deps, principal, scope, id);
  const by = auditOrigin({ principal, ip, requestId });
  const options = { change: body, ifMatch: request.headers["if-match"] };
  const own = await changeQuota(deps, by, { orgId, scope, id }, options);
  void reply.header("etag", etagOf(own));
  return bodyOf(deps, orgId, { scope, id, named, max: own.max_bytes });
};

/** @throws Problem `not_found` */
async function namedIn(deps: UsageSurfaceDeps, principal: Principal, scope: TargetScope, id: string): Promise<Named> {
  const target = scope === "project" ? undefined : await targetOf(deps.metadata.read, principal.orgId, { scope, id });
  if (scope !== "project" && target === undefined) throw absent();
  const project = await projectIfNamed(deps, principal, target?.project_id ?? id, "projects:read");
  if (project === undefined || (target === undefined && project.id !== id)) throw absent();
  return { name: target?.name ?? project.slug, project_id: project.id };
}

async function bodyOf(
  { metadata }: UsageSurfaceDeps,
  orgId: string,
  { scope, id, named, max }: { scope: TargetScope; id: string; named: Named; max: number | null },
): Promise<Body> {
  const used = Math.max(0, await usedBy(metadata.read, { org_id: orgId, scope, target_id: id }));
  const state = max === null ? "none" : used >= max ? "full" : used >= max * QUOTA_NEAR ? "near" : "ok";
  return { scope, target_id: id, ...named, used_bytes: used, max_bytes: max, state };
}
