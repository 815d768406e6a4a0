import type { Scope } from "@mooring/contract";
import { whyNotAnywhere, whyNotIn } from "./rights.ts";
import { useMe, usePlace, useProject, type Me } from "./scope.ts";

/**
 * Returns why the person may not do something in a project, or for null in the organization itself. Undefined: they
 * may.
 */
export function useWhyNotIn(projectId: string | null, scope: Scope): string | undefined {
  return whyNotIn(useMe(), projectId, scope);
}

/**
 * Returns why the person may not do something in any project. For forms that ask for a project, and lists of all
 * projects.
 */
export function useWhyNotAnywhere(scope: Scope): string | undefined {
  return whyNotAnywhere(useMe(), scope);
}

/**
 * Returns why the person may not do something in the project of the address, or in any project if the address names the
 * whole organization.
 */
export function useWhyNotHere(scope: Scope): string | undefined {
  const me = useMe();
  const project = useProject();
  return project === null ? whyNotAnywhere(me, scope) : whyNotIn(me, project.id, scope);
}

export function useMayIn(projectId: string | null, scope: Scope): boolean {
  return useWhyNotIn(projectId, scope) === undefined;
}

export function useMayAnywhere(scope: Scope): boolean {
  return useWhyNotAnywhere(scope) === undefined;
}

export function useMayHere(scope: Scope): boolean {
  return useWhyNotHere(scope) === undefined;
}

/** Whether the person may see a page; true while the person is loading. Other pages are hidden. */
export function useSees(): (page: { readonly scope?: Scope }) => boolean {
  const place = usePlace();
  return ({ scope }) => {
    if (place.kind !== "found") return place.kind !== "absent";
    const { me, project } = place;
    if (scope === undefined) return true;
    return (project === null ? whyNotAnywhere(me, scope) : whyNotIn(me, project.id, scope)) === undefined;
  };
}

/** Returns the projects that a form may offer. */
export function useProjectsFor(scope: Scope): readonly Me["projects"][number][] {
  const me = useMe();
  return me?.projects.filter(({ id }) => whyNotIn(me, id, scope) === undefined) ?? [];
}
