import { stateAllows, type Scope } from "@mooring/contract";
import { reachOf, type Limits, type Principal } from "#domain/identity/index.ts";
import { everyProject } from "#domain/projects/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { RowLimits, VisibleRows } from "#stores/telemetry/index.ts";
import { repositoryNamesOf } from "../apps/store.ts";

/** The known projects whose rows a principal may see. Other projects are newer, or belong to another organization. */
export interface KnownProjects {
  readonly shown: ReadonlySet<string>;
  readonly hidden: ReadonlySet<string>;
  /** Rows without a project are visible, too. Otherwise projects that are not known are hidden. */
  readonly unassigned: boolean;
}

/**
 * Returns the projects whose rows a principal may see with a permission. Only members see the rows of a private
 * project, even after it was deleted.
 */
export async function visibleProjects(
  metadata: Pick<MetadataStore, "read">,
  principal: Principal,
  permission: Scope,
): Promise<VisibleRows> {
  const { shown, hidden, unassigned } = await knownProjects(metadata, principal, permission);
  const { limits } = principal;
  if (limits !== undefined) return { projectIds: [...shown], unassigned, limits: await rowLimits(metadata, limits) };
  return unassigned && hidden.size === 0 ? "all" : { projectIds: [...shown], unassigned };
}

/** Returns the limits as the rows name them: images have the name of their repository. */
async function rowLimits(metadata: Pick<MetadataStore, "read">, limits: Limits): Promise<RowLimits> {
  const names = await repositoryNamesOf(metadata.read, [...limits.repositories]);
  return {
    services: [...limits.services],
    repositories: names,
    webhooks: [...limits.webhooks],
    buckets: [...limits.buckets].flatMap(([id, prefixes]) => prefixes.map((prefix) => [id, prefix] as const)),
  };
}

/** Returns the same as two lists, for callers that may find rows of a newer project. */
export async function knownProjects(
  metadata: Pick<MetadataStore, "read">,
  principal: Principal,
  permission: Scope,
): Promise<KnownProjects> {
  if (principal.kind === "credential" && principal.projectId !== null) {
    return { shown: new Set([principal.projectId]), hidden: new Set(), unassigned: false };
  }
  const projects = await everyProject(metadata.read, principal.orgId);
  const { organization: unassigned, visibleProjects: seesOpen, projectIds } = reachOf(principal, permission);
  const mine = new Set(projectIds);
  const isShown = ({ id, visibility, state, trashed = false }: (typeof projects)[number]): boolean =>
    !trashed && ((seesOpen && visibility === "organization") || mine.has(id)) && stateAllows(state, permission);
  return {
    shown: new Set(projects.filter(isShown).map((project) => project.id)),
    hidden: new Set(projects.filter((project) => !isShown(project)).map((project) => project.id)),
    unassigned,
  };
}

/** Returns the rows that both see. */
export function seenByBoth(one: VisibleRows, other: VisibleRows): VisibleRows {
  if (one === "all") return other;
  if (other === "all") return one;
  const limits = one.limits ?? other.limits;
  // Nothing computes the resources that two different limits have in common, because no caller needs it.
  const areAlike = JSON.stringify(limits) === JSON.stringify(other.limits ?? limits);
  if (!areAlike) return { projectIds: [], unassigned: false };
  return {
    projectIds: one.projectIds.filter((id) => other.projectIds.includes(id)),
    unassigned: one.unassigned && other.unassigned,
    ...(limits === undefined ? {} : { limits }),
  };
}
