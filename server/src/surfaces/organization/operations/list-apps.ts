import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { reachOf } from "#domain/identity/index.ts";
import { listApps as list } from "#domain/organizations/index.ts";
import type { Operation } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { appBody, pageBody } from "../model.ts";
import { pageOf } from "../query.ts";
import { projectFor } from "../resources.ts";

export function listApps(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.listApps> {
  return async ({ query }, { principal }) => {
    const project =
      query.project === undefined ? undefined : await projectFor(deps, principal, query.project, "apps:read");
    const page = { ...pageOf(query), projectId: project?.id };
    return pageBody(await list(deps, principal.orgId, reachOf(principal, "apps:read"), page), (app) =>
      appBody(app, principal.orgSlug),
    );
  };
}
