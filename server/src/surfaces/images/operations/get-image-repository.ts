import type { REGISTRY_API_ROUTES } from "@mooring/contract";
import type { Operation } from "#http/index.ts";
import type { ImagesSurfaceDeps } from "../index.ts";
import { repositoryBody, repositoryFor } from "../model.ts";

export function getImageRepository(deps: ImagesSurfaceDeps): Operation<typeof REGISTRY_API_ROUTES.getImageRepository> {
  return async ({ params }, { principal }) =>
    repositoryBody(deps, await repositoryFor(deps, principal, params.app_id, "registry:pull"));
}
