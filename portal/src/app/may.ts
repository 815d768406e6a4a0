import { PROJECT_ROLE_SCOPES, type Scope } from "@mooring/contract";
import { useMe, type Me } from "./scope.ts";

/** Whether one's roles, in the organization and in the project, hold a scope there; null: in the organization itself. */
export function useMayIn(projectId: string | null, scope: Scope): boolean {
  const me = useMe();
  if (me === undefined) return false;
  return me.scopes.includes(scope) || me.projects.some((project) => project.id === projectId && holds(project, scope));
}

/** Whether one's roles hold a scope in the organization or in any project. */
export function useMayAnywhere(scope: Scope): boolean {
  const me = useMe();
  if (me === undefined) return false;
  return me.scopes.includes(scope) || me.projects.some((project) => holds(project, scope));
}

function holds({ role }: Me["projects"][number], scope: Scope): boolean {
  return role !== null && PROJECT_ROLE_SCOPES[role].includes(scope);
}
