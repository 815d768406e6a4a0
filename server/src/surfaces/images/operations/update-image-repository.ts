import type { REGISTRY_API_ROUTES } from "@mooring/contract";
import { repositoryVersion, updateRepository } from "#domain/registry/index.ts";
import type { Operation } from "#http/index.ts";
import { etagOf } from "#kernel/versions.ts";
import type { ImagesSurfaceDeps } from "../deps.ts";
import { callerOf, repositoryBody, repositoryFor, retentionOf } from "../model.ts";

export function updateImageRepository(
  deps: ImagesSurfaceDeps,
): Operation<typeof REGISTRY_API_ROUTES.updateImageRepository> {
  return async ({ params, body }, context) => {
    const repository = await repositoryFor(deps, context.principal, params.app_id, "apps:write");
    const { retention } = body;
    const change = {
      isPublic: body.public,
      immutableTags: body.immutable_tags,
      retention: retention === undefined || retention === null ? retention : retentionOf(retention),
    };
    const ifMatch = context.request.headers["if-match"];
    const after = await updateRepository(deps, callerOf(context), repository, { change, ifMatch });
    void context.reply.header("etag", etagOf(repositoryVersion(after)));
    return repositoryBody(deps, after);
  };
}
