import type { Scope } from "@mooring/contract";
import { absent, requireAllSeen, requireUnlimited, type Principal } from "#domain/identity/index.ts";
import { projectByName, type Project } from "#domain/projects/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";

type Deps = { readonly metadata: MetadataStore };

/**
 * Returns the project that a request names by id or slug.
 * @param permissions the caller needs all of them in the project
 * @throws Problem `not_found` (absent and hidden alike), `insufficient_scope` (also for a credential that is limited to
 * resources), `project_archived`
 */
export async function projectFor(
  deps: Deps,
  principal: Principal,
  idOrSlug: string,
  ...permissions: readonly Scope[]
): Promise<Project> {
  // Before the project is looked up: the answer must not depend on whether it exists.
  for (const permission of permissions) requireUnlimited(principal, permission);
  const project = await projectByName(deps.metadata.read, principal.orgId, idOrSlug);
  if (project === undefined) throw absent();
  requireAllSeen(principal, permissions, { orgId: project.org_id, project });
  return project;
}

/** The project that a filter of a list names; undefined when the request names none. @throws Problem as `projectFor` */
export async function projectIfNamed(
  deps: Deps,
  principal: Principal,
  idOrSlug: string | undefined,
  ...permissions: readonly Scope[]
): Promise<Project | undefined> {
  return idOrSlug === undefined ? undefined : projectFor(deps, principal, idOrSlug, ...permissions);
}
