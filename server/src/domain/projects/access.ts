import type { ProjectState } from "./state.ts";

export type Visibility = "organization" | "private";

/** What the permission check needs to know about a project. */
export interface ProjectAccess {
  readonly id: string;
  readonly visibility: Visibility;
  readonly state: ProjectState;
}

/** What a request is about. Without a project it is about the organization itself. */
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

/** What a row is to the permission check. A project that was deleted counts as private: nobody reaches it. */
export function resourceOf(
  row: { readonly org_id: string; readonly project_id: string | null } & OptionalProjectColumns,
): Resource {
  const { org_id: orgId, project_id: id, visibility, project_state: state } = row;
  return id === null ? { orgId } : { orgId, project: { id, visibility: visibility ?? "private", state } };
}
