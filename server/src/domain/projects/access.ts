import type { ResourceKind } from "@mooring/contract";
import type { LimitedState, ProjectState } from "./state.ts";

export type Visibility = "organization" | "private";

/** The facts about a project that the permission check needs. */
export interface ProjectAccess {
  readonly id: string;
  readonly visibility: Visibility;
  readonly state: ProjectState;
  /** Whether it is in the trash, or deleted. Then it is hidden from everybody. */
  readonly trashed?: boolean;
}

/** The resource of a request: a project, or the organization itself. */
export interface Resource {
  readonly orgId: string;
  readonly project?: ProjectAccess;
  /** The part of it on which the request acts. A credential that is limited to resources needs it. */
  readonly item?: Item;
}

/** An object to which a credential can be limited. */
export interface Item {
  readonly kind: ResourceKind;
  /** The id of an app or a webhook, or the name of a service. */
  readonly id: string;
  /** In a bucket: the key of an object, or the prefix of a listing. Absent: the bucket as such. */
  readonly path?: string;
}

/** The rows of a list that a permission reaches: the permission check as a WHERE clause. */
export interface Reach {
  /** Includes resources of the organization that belong to no project. */
  readonly organization: boolean;
  /** Includes resources of every project that the whole organization sees. */
  readonly visibleProjects: boolean;
  /** Includes resources of every private project: an owner sees them. */
  readonly privateProjects?: true;
  /** Includes resources of these projects, private ones too. */
  readonly projectIds: readonly string[];
  /** Leaves out rows of projects in these states, because the states forbid the permission. */
  readonly exceptStates: readonly LimitedState[];
  /** Includes only the resources with these ids. Absent: the credential is not limited to resources. */
  readonly ids?: readonly string[];
}

/** The columns that `withProject` adds to a row. */
export interface ProjectColumns {
  readonly visibility: Visibility;
  readonly project_state: ProjectState;
}

/**
 * The columns that `withOptionalProject` adds to a row. `visibility` is null when the row has no project, or a deleted
 * one.
 */
export interface OptionalProjectColumns {
  readonly visibility: Visibility | null;
  readonly project_state: ProjectState;
}

/** Returns the columns that `withProject` adds to a row of this project. Null: the row has no project. */
export function columnsOf(project: ProjectAccess): ProjectColumns;
export function columnsOf(project: ProjectAccess | null): OptionalProjectColumns;
export function columnsOf(project: ProjectAccess | null): OptionalProjectColumns {
  return { visibility: project?.visibility ?? null, project_state: project?.state ?? "active" };
}

/**
 * Returns the resource of a row, for the permission check. Nobody reaches a project that is deleted or in the trash.
 */
export function resourceOf(
  row: { readonly org_id: string; readonly project_id: string | null } & OptionalProjectColumns,
): Resource {
  const { org_id: orgId, project_id: id, visibility, project_state: state } = row;
  if (id === null) return { orgId };
  if (visibility === null) return { orgId, project: { id, visibility: "private", state, trashed: true } };
  return { orgId, project: { id, visibility, state } };
}
