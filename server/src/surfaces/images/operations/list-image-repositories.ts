import type { REGISTRY_API_ROUTES } from "@mooring/contract";
import { reachOf } from "#domain/identity/index.ts";
import { listPage } from "#domain/organizations/index.ts";
import { repositoriesBefore } from "#domain/registry/index.ts";
import type { Operation } from "#http/index.ts";
import type { ImagesSurfaceDeps } from "../deps.ts";
import { orgOf, projectFor, repositoryBodies } from "../model.ts";

export function listImageRepositories(
  deps: ImagesSurfaceDeps,
): Operation<typeof REGISTRY_API_ROUTES.listImageRepositories> {
  return async ({ query }, { principal }) => {
    const project =
      query.project === undefined ? undefined : await projectFor(deps, principal, query.project, "registry:pull");
    const reach = reachOf(principal, "registry:pull");
    const page = await listPage(
      { limit: query.limit ?? 50, cursor: query.cursor },
      (wanted) => repositoriesBefore(deps, orgOf(principal), reach, { ...wanted, projectId: project?.id }),
      ({ id }) => id,
    );
    return { items: await repositoryBodies(deps, page.items), next_cursor: page.nextCursor };
  };
}
