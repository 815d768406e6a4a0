import { oldestOpenProject, projectByName, type Project } from "#domain/projects/index.ts";
import type { Writer } from "#stores/metadata/index.ts";
import { SYSTEM, type OrganizationsDeps } from "../caller.ts";
import { changeOrganization } from "../change.ts";
import { createProjectIn } from "./projects.ts";

/** The slug of the project that a first start creates. */
export const FIRST_PROJECT = "default";

/** Returns the project with this slug. Creates it if there is none. */
export async function findOrMakeProject(
  deps: OrganizationsDeps,
  tx: Writer,
  orgId: string,
  slug: string,
): Promise<Project> {
  const known = await projectByName(tx, orgId, slug);
  return known ?? createProjectIn(deps, tx, SYSTEM, { orgId, input: { slug } });
}

/**
 * Returns the first project of a new member: the oldest that every member can read and that accepts data. Creates it if
 * there is none. Null: it can't be created, because a private or archived project has its slug.
 */
export async function firstProject(deps: OrganizationsDeps, orgId: string): Promise<Project | null> {
  const known = await oldestOpenProject(deps.metadata.read, orgId);
  if (known !== undefined) return known;
  return changeOrganization(deps, orgId, async (tx) => {
    const project = await findOrMakeProject(deps, tx, orgId, FIRST_PROJECT);
    return project.visibility === "organization" && project.state === "active" ? project : null;
  });
}
