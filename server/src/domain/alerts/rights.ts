import { stateAllows } from "@mooring/contract";
import { authorize, type Principal } from "#domain/identity/index.ts";
import { principalNow, seenByBoth, visibleProjects } from "#domain/organizations/index.ts";
import { codeOf, resourceOf, ruleOf } from "#domain/projects/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { VisibleRows } from "#stores/telemetry/index.ts";
import type { AlertFault } from "./model.ts";
import type { Alert } from "./store.ts";

type Deps = { readonly metadata: MetadataStore };

/** The principals of an evaluation, or the reason why it is not permitted. */
export type Rights = { readonly principals: readonly Principal[] } | { readonly fault: AlertFault };

/**
 * Returns the permissions of an evaluation. An alert runs with the current permissions of its last author. The last
 * author of its query must have the permission to read, too, and only rows that both may see are read. Otherwise one of
 * them could change the alert or the query to read with the permissions of the other.
 */
export async function rightsOf(deps: Deps, alert: Alert, nowMs: number): Promise<Rights> {
  const { project_state: state, project_id: projectId, visibility } = alert;
  if (projectId !== null && visibility === null) {
    const detail = "The project is in the trash, so its alerts are not evaluated.";
    return { fault: { code: "project_in_trash", detail } };
  }
  if (!stateAllows(state, "alerts:evaluate")) {
    const detail = `The project is ${ruleOf(state).name}, so its alerts are not evaluated.`;
    return { fault: { code: codeOf(state), detail } };
  }
  const authors = { "the alert": alert.updated_by, "its query": alert.query_updated_by };
  const principals: Principal[] = [];
  for (const [what, id] of Object.entries(authors)) {
    const principal = await principalNow(deps.metadata, alert.org_id, id, nowMs);
    const fault = faultOf(what, id, principal, alert);
    if (fault !== undefined) return { fault };
    if (principal !== undefined) principals.push(principal);
  }
  return { principals };
}

function faultOf(what: string, id: string, principal: Principal | undefined, alert: Alert): AlertFault | undefined {
  const author = `${id}, who changed ${what} last,`;
  const remedy = `the next actor who changes ${what} becomes its author`;
  if (principal === undefined) {
    return { code: "author_gone", detail: `${author} is no longer a member or a valid credential; ${remedy}` };
  }
  if (authorize(principal, "telemetry:read", resourceOf(alert)) === "allowed") return undefined;
  return { code: "author_lost_rights", detail: `${author} may no longer read telemetry there; ${remedy}` };
}

/** Returns the rows that every one of the principals may see. */
export async function visibleToAll(deps: Deps, principals: readonly Principal[]): Promise<VisibleRows> {
  let seen: VisibleRows = "all";
  for (const principal of principals)
    seen = seenByBoth(seen, await visibleProjects(deps.metadata, principal, "telemetry:read"));
  return seen;
}
