import type { Client } from "@mooring/client";
import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { useQuery } from "@tanstack/react-query";
import { titleOfRole } from "~/access/roles.tsx";
import { useMe, useOrganization, type Me } from "~/app/scope.ts";

export interface ProjectRoles {
  readonly project: Me["projects"][number];
  /** Roles by user id. */
  readonly roles: ReadonlyMap<string, string>;
}

/** The most projects whose members are read, since each needs a request. */
export const PROJECTS_READ_MAX = 50;
const AT_ONCE = 6;

/** Reads the roles in the newest projects that the person can see. */
export function useProjectRoles(enabled: boolean): readonly ProjectRoles[] | undefined {
  const organization = useOrganization();
  const projects = useMe()?.projects.slice(0, PROJECTS_READ_MAX);
  const { data } = useQuery({
    queryKey: [
      organization.slug,
      ORGANIZATION_ROUTES.listProjectMembers.operationId,
      "each",
      projects?.map(({ id }) => id) ?? [],
    ],
    queryFn: ({ signal }) => readEach(organization.client, projects ?? [], signal),
    enabled: enabled && projects !== undefined,
  });
  return data;
}

async function readEach(
  client: Client,
  projects: Me["projects"],
  signal: AbortSignal,
): Promise<readonly ProjectRoles[]> {
  const result: ProjectRoles[] = [];
  for (let at = 0; at < projects.length; at += AT_ONCE) {
    const part = projects.slice(at, at + AT_ONCE);
    result.push(...(await Promise.all(part.map((project) => readOne(client, project, signal)))));
  }
  return result;
}

async function readOne(client: Client, project: Me["projects"][number], signal: AbortSignal): Promise<ProjectRoles> {
  const { items } = await client.call(ORGANIZATION_ROUTES.listProjectMembers, {
    params: { project_id: project.id },
    query: { limit: 100 },
    signal,
  });
  return { project, roles: new Map(items.map((member) => [member.user_id, titleOfRole(member)])) };
}
