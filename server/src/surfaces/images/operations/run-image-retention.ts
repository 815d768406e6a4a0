import type { REGISTRY_API_ROUTES } from "@mooring/contract";
import { applyRetention, planRetention } from "#domain/registry/index.ts";
import type { Operation } from "#http/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { ImagesSurfaceDeps } from "../deps.ts";
import { callerOf, repositoryFor, retentionOf } from "../model.ts";

export function runImageRetention(deps: ImagesSurfaceDeps): Operation<typeof REGISTRY_API_ROUTES.runImageRetention> {
  return async ({ params, body }, context) => {
    const repository = await repositoryFor(deps, context.principal, params.app_id, "registry:delete");
    if (body.retention !== undefined && !body.dry_run) throw onlyDry();
    const rules = body.retention === undefined ? repository.retention : retentionOf(body.retention);
    if (rules === null) return { tags: [], manifests: [] };
    if (!body.dry_run && !deps.clock.isTrusted()) throw inDoubt();
    const { tags, manifests } = body.dry_run
      ? await planRetention(deps, repository, rules)
      : await applyRetention(deps, callerOf(context), repository, rules);
    return {
      tags: tags.map(({ name, digest }) => ({ name, digest })),
      manifests: manifests.map(({ digest, size }) => ({ digest, size_bytes: size })),
    };
  };
}

function inDoubt(): Problem {
  return new Problem(
    "unavailable",
    "The server's clock is in doubt, so nothing is deleted by time now. Set it right, or have the operator accept it.",
  );
}

function onlyDry(): Problem {
  return new Problem("invalid_body", "Rules can be tried by a dry run; to run them, make them the repository's own.", {
    errors: [{ pointer: "/retention", detail: "is for a dry run alone" }],
  });
}
