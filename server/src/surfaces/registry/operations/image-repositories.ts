import { reachOf } from "#domain/identity/index.ts";
import { listPage, projectIfNamed } from "#domain/organizations/index.ts";
import {
  applyRetention,
  emptyRepository,
  planRetention,
  repositoriesBefore,
  repositoryVersion,
  updateRepository,
} from "#domain/registry/index.ts";
import { callerOf } from "#http/index.ts";
import { Problem } from "#kernel/problem.ts";
import { etagOf } from "#kernel/versions.ts";
import type { ImageOperation } from "../deps.ts";
import { orgOf, repositoryBodies, repositoryBody, repositoryFor, retentionOf } from "../model-images.ts";

export const listImageRepositories: ImageOperation<"listImageRepositories"> = async (
  deps,
  { query },
  { principal },
) => {
  const project = await projectIfNamed(deps, principal, query.project, "registry:pull");
  const reach = reachOf(principal, "registry:pull");
  const page = await listPage(
    { limit: query.limit ?? 50, cursor: query.cursor },
    (wanted) => repositoriesBefore(deps, orgOf(principal), reach, { ...wanted, projectId: project?.id }),
    ({ id }) => id,
  );
  return { items: await repositoryBodies(deps, page.items), next_cursor: page.nextCursor };
};

export const getImageRepository: ImageOperation<"getImageRepository"> = async (
  deps,
  { params },
  { principal, reply },
) => {
  const repository = await repositoryFor(deps, principal, params.app_id, "registry:pull");
  void reply.header("etag", etagOf(repositoryVersion(repository)));
  return repositoryBody(deps, repository);
};

export const updateImageRepository: ImageOperation<"updateImageRepository"> = async (
  deps,
  { params, body },
  context,
) => {
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

export const emptyImageRepository: ImageOperation<"emptyImageRepository"> = async (deps, { params }, context) => {
  const repository = await repositoryFor(deps, context.principal, params.app_id, "registry:delete");
  await emptyRepository(deps, callerOf(context), repository);
  return undefined;
};

export const runImageRetention: ImageOperation<"runImageRetention"> = async (deps, { params, body }, context) => {
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

function inDoubt(): Problem {
  return new Problem(
    "unavailable",
    "The server's clock is in doubt, so nothing is deleted by time now. Correct the clock, or ask the operator to accept it.",
  );
}

function onlyDry(): Problem {
  return new Problem(
    "invalid_body",
    "Rules in a request are only for a dry run. To apply them, save them in the repository.",
    {
      errors: [{ pointer: "/retention", detail: "is only for a dry run" }],
    },
  );
}
