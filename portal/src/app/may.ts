import type { Scope } from "@mooring/contract";
import { whyNotAnywhere, whyNotIn } from "./rights.ts";
import { useMe, usePlace, useProject, type Me } from "./scope.ts";

/** Why one may not do something in a project, or, for null, in the organization itself; undefined: one may. */
export function useWhyNotIn(projectId: string | null, scope: Scope): string | undefined {
  return whyNotIn(useMe(), projectId, scope);
}

/** The same for an act in any project: where a form asks for one, or a list shows all. */
export function useWhyNotAnywhere(scope: Scope): string | undefined {
  return whyNotAnywhere(useMe(), scope);
}

/** In the project that the address names; where it names the whole organization, in any. */
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

/** Whether a page has anything for the person; while the person is not loaded, it has. Other pages are not shown. */
export function useSees(): (page: { readonly scope?: Scope }) => boolean {
  const place = usePlace();
  return ({ scope }) => {
    if (place.kind !== "found") return place.kind !== "absent";
    const { me, project } = place;
    if (scope === undefined) return true;
    return (project === null ? whyNotAnywhere(me, scope) : whyNotIn(me, project.id, scope)) === undefined;
  };
}

/** The projects that a form may offer for something to be made in. */
export function useProjectsFor(scope: Scope): readonly Me["projects"][number][] {
  const me = useMe();
  return me?.projects.filter(({ id }) => whyNotIn(me, id, scope) === undefined) ?? [];
}
