import type { REGISTRY_API_ROUTES } from "@mooring/contract";
import { emptyRepository } from "#domain/registry/index.ts";
import type { Operation } from "#http/index.ts";
import type { ImagesSurfaceDeps } from "../deps.ts";
import { callerOf, repositoryFor } from "../model.ts";

export function emptyImageRepository(
  deps: ImagesSurfaceDeps,
): Operation<typeof REGISTRY_API_ROUTES.emptyImageRepository> {
  return async ({ params }, context) => {
    const repository = await repositoryFor(deps, context.principal, params.app_id, "registry:delete");
    await emptyRepository(deps, callerOf(context), repository);
    return undefined;
  };
}
