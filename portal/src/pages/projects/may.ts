import { PROJECT_ROLE_SCOPES, type Scope } from "@mooring/contract";
import { useMe } from "~/app/scope.ts";

/** Whether one's roles, in the organization and in the project, hold a scope there. */
export function useMayIn(projectId: string, scope: Scope): boolean {
  const me = useMe();
  if (me === undefined) return false;
  const role = me.projects.find(({ id }) => id === projectId)?.role ?? null;
  return me.scopes.includes(scope) || (role !== null && PROJECT_ROLE_SCOPES[role].includes(scope));
}
