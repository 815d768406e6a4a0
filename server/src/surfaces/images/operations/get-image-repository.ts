import type { REGISTRY_API_ROUTES } from "@mooring/contract";
import { repositoryVersion } from "#domain/registry/index.ts";
import type { Operation } from "#http/index.ts";
import { etagOf } from "#kernel/versions.ts";
import type { ImagesSurfaceDeps } from "../deps.ts";
import { repositoryBody, repositoryFor } from "../model.ts";

export function getImageRepository(deps: ImagesSurfaceDeps): Operation<typeof REGISTRY_API_ROUTES.getImageRepository> {
  return async ({ params }, { principal, reply }) => {
    const repository = await repositoryFor(deps, principal, params.app_id, "registry:pull");
    void reply.header("etag", etagOf(repositoryVersion(repository)));
    return repositoryBody(deps, repository);
  };
}
