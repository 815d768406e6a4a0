import type { ProjectState } from "./state.ts";

export type Visibility = "organization" | "private";

/** The facts about a project for the permission check. */
export interface ProjectAccess {
  readonly id: string;
  readonly visibility: Visibility;
  readonly state: ProjectState;
}

/** The resource of a request. Without a project it is the organization itself. */
export interface Resource {
  readonly orgId: string;
  readonly project?: ProjectAccess;
}

/** Which of a list's rows a permission reaches: the same rules as the permission check, for a WHERE clause. */
export interface Reach {
  /** Resources of the organization that belong to no project. */
  readonly organization: boolean;
  /** Resources of every project that the whole organization sees. */
  readonly visibleProjects: boolean;
  /** Resources of these projects, of any visibility. */
  readonly projectIds: readonly string[];
  /** None of projects in these states: they forbid the permission. */
  readonly exceptStates: readonly Exclude<ProjectState, "active">[];
}

/** The columns that a row has from its project (see `withProject`). */
export interface ProjectColumns {
  readonly visibility: Visibility;
  readonly project_state: ProjectState;
}

/** The same of a row that need not be in a project. Null: it is in none, or the project was deleted. */
export interface OptionalProjectColumns {
  readonly visibility: Visibility | null;
  readonly project_state: ProjectState;
}

/** The columns of a row that is written into this project, as `withProject` would read them; in none for null. */
export function columnsOf(project: ProjectAccess): ProjectColumns;
export function columnsOf(project: ProjectAccess | null): OptionalProjectColumns;
export function columnsOf(project: ProjectAccess | null): OptionalProjectColumns {
  return { visibility: project?.visibility ?? null, project_state: project?.state ?? "active" };
}

/** The resource of a row, for the permission check. A deleted project counts as private: nobody reaches it. */
export function resourceOf(
  row: { readonly org_id: string; readonly project_id: string | null } & OptionalProjectColumns,
): Resource {
  const { org_id: orgId, project_id: id, visibility, project_state: state } = row;
  return id === null ? { orgId } : { orgId, project: { id, visibility: visibility ?? "private", state } };
}
