import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { useRead } from "~/api/queries.ts";
import { useMayHere } from "~/app/may.ts";
import { useProject } from "~/app/scope.ts";

/** Returns the repository name of the newest app here. Null: there is no app. Undefined: loading, or not permitted. */
export function useRepository(): string | null | undefined {
  const project = useProject();
  const may = useMayHere("apps:read");
  const query = { limit: 1, ...(project === null ? {} : { project: project.slug }) };
  const { data } = useRead(ORGANIZATION_ROUTES.listApps, { query }, { enabled: may });
  return data === undefined ? undefined : (data.items[0]?.repository ?? null);
}
