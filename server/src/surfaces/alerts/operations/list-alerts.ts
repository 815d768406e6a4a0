import type { ALERT_ROUTES } from "@mooring/contract";
import { listAlerts as list } from "#domain/alerts/index.ts";
import { reachOf, type Principal } from "#domain/identity/index.ts";
import { absent, findProject } from "#domain/organizations/index.ts";
import type { Operation } from "#http/index.ts";
import type { AlertsSurfaceDeps } from "../deps.ts";
import { alertBody } from "../model.ts";
import { READING, requireAllSeen } from "../resources.ts";

export function listAlerts(deps: AlertsSurfaceDeps): Operation<typeof ALERT_ROUTES.listAlerts> {
  return async ({ query }, { principal }) => {
    const { project, cursor, limit = 50 } = query;
    const projectId = project === undefined ? undefined : await projectIdOf(deps, principal, project);
    const page = await list(deps, principal.orgId, reachOf(principal, "telemetry:read"), { projectId, cursor, limit });
    return { items: page.items.map((alert) => alertBody(alert, principal)), next_cursor: page.nextCursor };
  };
}

async function projectIdOf(deps: AlertsSurfaceDeps, principal: Principal, idOrSlug: string): Promise<string> {
  const project = await findProject(deps, principal.orgId, idOrSlug);
  if (project === undefined) throw absent();
  requireAllSeen(principal, READING, { orgId: project.org_id, project });
  return project.id;
}
