import type { Scope } from "@mooring/contract";
import { type Principal, absent, requireSeen } from "#domain/identity/index.ts";
import {
  contentsOf,
  contentsOfAll,
  findRepository,
  nameOf,
  resourceOf,
  type Contents,
  type RepositoryView,
  type Retention,
} from "#domain/registry/index.ts";
import { isoFromMs } from "#kernel/time.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";

/** @throws Problem `not_found` (absent and hidden alike), `insufficient_scope` */
export async function repositoryFor(
  deps: { readonly metadata: MetadataStore },
  principal: Principal,
  idOrSlug: string,
  permission: Scope,
): Promise<RepositoryView> {
  const repository = await findRepository(deps, orgOf(principal), idOrSlug);
  if (repository === undefined) throw absent();
  requireSeen(principal, permission, resourceOf(repository));
  return repository;
}

export function orgOf({ orgId, orgSlug }: Principal): { readonly id: string; readonly slug: string } {
  return { id: orgId, slug: orgSlug };
}

export async function repositoryBody(deps: { readonly metadata: MetadataStore }, repository: RepositoryView) {
  return bodyOf(repository, await contentsOf(deps.metadata.read, repository.id));
}

/**
 * Returns the bodies of a page of repositories. They are read together: one by one, each would wait for a connection to
 * the records.
 */
export async function repositoryBodies(
  deps: { readonly metadata: MetadataStore },
  repositories: readonly RepositoryView[],
) {
  const ids = repositories.map(({ id }) => id);
  const contents = await contentsOfAll(deps.metadata.read, ids);
  return repositories.map((repository) => bodyOf(repository, contents.get(repository.id)));
}

function bodyOf(repository: RepositoryView, contents: Contents | undefined) {
  const { tags = 0, manifests = 0, bytes = 0 } = contents ?? {};
  return {
    app_id: repository.id,
    slug: repository.appSlug,
    name: nameOf(repository),
    project_id: repository.projectId,
    public: repository.isPublic,
    immutable_tags: [...repository.immutableTags],
    retention: repository.retention === null ? null : retentionBody(repository.retention),
    tags,
    manifests,
    size_bytes: bytes,
    pulls: repository.pulls,
    last_pull_at: isoOrNull(repository.lastPullAt),
    last_push_at: isoOrNull(repository.lastPushAt),
  };
}

interface RetentionBody {
  keep_last: number | null;
  keep_days: number | null;
  keep_tags: string[];
  untagged_days: number | null;
}

function retentionBody({ keepLast, keepDays, keepTags, untaggedDays }: Retention): RetentionBody {
  return { keep_last: keepLast, keep_days: keepDays, keep_tags: [...keepTags], untagged_days: untaggedDays };
}

export function retentionOf({ keep_last, keep_days, keep_tags, untagged_days }: RetentionBody): Retention {
  return { keepLast: keep_last, keepDays: keep_days, keepTags: keep_tags, untaggedDays: untagged_days };
}

/** Returns the platform that the pusher wrote. Members that are not text are left out. */
export function platformBody(json: string | null): {
  os: string | null;
  architecture: string | null;
  variant: string | null;
} {
  const platform = (json === null ? {} : JSON.parse(json)) as Record<string, unknown>;
  const text = (name: string): string | null => (typeof platform[name] === "string" ? platform[name] : null);
  return { os: text("os"), architecture: text("architecture"), variant: text("variant") };
}

export function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : isoFromMs(ms);
}
