import type { Scope } from "@mooring/contract";

interface Holder {
  readonly project_id: string | null;
  readonly effective_scopes: readonly string[];
}

interface Place {
  readonly project_id: string;
}

/** Returns the first credential or key with all needed scopes, otherwise the newest. */
export function bestHolder<H extends Holder>(holders: readonly H[], needed: readonly Scope[]): H | undefined {
  return holders.find(({ effective_scopes: held }) => needed.every((scope) => held.includes(scope))) ?? holders[0];
}

/**
 * Whether a credential or key has access to an app: it is of the app's project, or of the organization and the project
 * is not private.
 */
export function reaches(holder: Holder, app: Place, privateProjects: ReadonlySet<string>): boolean {
  if (holder.project_id !== null) return holder.project_id === app.project_id;
  return !privateProjects.has(app.project_id);
}

/** Returns the first app to which the credential or key has access, otherwise the first app. */
export function bestApp<A extends Place>(
  apps: readonly A[],
  holder: Holder | undefined,
  privateProjects: ReadonlySet<string>,
): A | undefined {
  if (holder === undefined) return apps[0];
  return apps.find((app) => reaches(holder, app, privateProjects)) ?? apps[0];
}
