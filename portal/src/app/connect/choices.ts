import type { Client } from "@mooring/client";
import { ORGANIZATION_ROUTES, type ResultOf } from "@mooring/contract";
import { useQuery } from "@tanstack/react-query";
import { useMayAnywhere } from "../may.ts";
import { useOrganization, useProject } from "../scope.ts";

export type ConnectApp = ResultOf<typeof ORGANIZATION_ROUTES.getApp>;
export type ConnectCredential = ResultOf<typeof ORGANIZATION_ROUTES.getCredential>;
export type ConnectKey = ResultOf<typeof ORGANIZATION_ROUTES.getS3Key>;

export interface Choices {
  readonly apps: readonly ConnectApp[];
  readonly credentials: readonly ConnectCredential[];
  readonly keys: readonly ConnectKey[];
}

const NONE: Choices = { apps: [], credentials: [], keys: [] };
const SHOWN = 100;

interface May {
  readonly apps: boolean;
  readonly credentials: boolean;
}

/**
 * Returns the choices for snippets: the newest apps, active credentials and keys that the person may see. In a project,
 * only those of the project.
 */
export function useChoices(): Choices {
  const organization = useOrganization();
  const project = useProject();
  const may = { apps: useMayAnywhere("apps:read"), credentials: useMayAnywhere("credentials:read") };
  const { data } = useQuery({
    queryKey: [organization.slug, "connect", project?.id ?? null, may],
    queryFn: ({ signal }) => readChoices(organization.client, project?.id ?? null, may, signal),
  });
  return data ?? NONE;
}

async function readChoices(client: Client, project: string | null, may: May, signal: AbortSignal): Promise<Choices> {
  const query = { limit: SHOWN };
  const ofProject = project === null ? query : { ...query, project };
  const [apps, credentials, keys] = await Promise.all([
    may.apps ? client.call(ORGANIZATION_ROUTES.listApps, { query: ofProject, signal }) : null,
    may.credentials ? client.call(ORGANIZATION_ROUTES.listCredentials, { query, signal }) : null,
    may.credentials ? client.call(ORGANIZATION_ROUTES.listS3Keys, { query, signal }) : null,
  ]);
  const now = Date.now();
  const counts = (item: {
    project_id: string | null;
    expires_at: string | null;
    effective_scopes: readonly string[];
  }) =>
    (item.expires_at === null || Date.parse(item.expires_at) > now) &&
    item.effective_scopes.length > 0 &&
    (project === null || item.project_id === null || item.project_id === project);
  return {
    apps: apps?.items ?? [],
    credentials: credentials?.items.filter((item) => item.kind === "app" && counts(item)) ?? [],
    keys: keys?.items.filter(counts) ?? [],
  };
}
