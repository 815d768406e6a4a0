import type { Client } from "@mooring/client";
import { ORGANIZATION_ROUTES, type OrgRole, type ResultOf } from "@mooring/contract";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { organizationClient } from "~/api/clients.ts";
import { sessionQuery } from "~/api/session.ts";

/** In an address, in the place of a project: the whole organization. */
export const WHOLE_ORGANIZATION = "-";

export type Me = ResultOf<typeof ORGANIZATION_ROUTES.getMe>;

export interface Organization {
  readonly slug: string;
  readonly name: string;
  readonly role: OrgRole | null;
  readonly client: Client;
}

/** What an address may name; nothing of it on pages outside of an organization. */
interface AddressParams {
  readonly org?: string;
  readonly project?: string;
  readonly app?: string;
  readonly webhook?: string;
}

export function useAddress(): AddressParams {
  // Without the router's own type, which would make every page and the router a cycle of types, it is whatever one says.
  const params: unknown = useParams({ strict: false });
  return params as AddressParams;
}

/** The organization that the address names. @throws Error outside of one, unless `optional` */
export function useOrganization(): Organization;
export function useOrganization(options: { optional: boolean }): Organization | null;
export function useOrganization({ optional = false } = {}): Organization | null {
  const { org } = useAddress();
  const { data: session } = useQuery(sessionQuery);
  if (org === undefined) {
    if (optional) return null;
    throw new Error("the address names no organization");
  }
  const known = session?.organizations.find(({ slug }) => slug === org);
  return { slug: org, name: known?.name ?? org, role: known?.role ?? null, client: organizationClient(org) };
}

/** The project that the address names; null: the whole organization. */
export function useProject(): Me["projects"][number] | null {
  const { project } = useAddress();
  const me = useMe();
  return me?.projects.find(({ slug }) => slug === project) ?? null;
}

/** What the address says, for links to other pages: `/o/$org/$project/…`. */
export function useScopeParams(): { org: string; project: string } {
  const { org = "", project = WHOLE_ORGANIZATION } = useAddress();
  return { org, project };
}

/** Who one is in this organization, and what one may do; undefined while that is loading. */
export function useMe(): Me | undefined {
  const organization = useOrganization();
  const { data } = useQuery(meQuery(organization.slug));
  return data;
}

/** Who one is in an organization. */
export function meQuery(org: string) {
  return queryOptions<Me>({
    queryKey: [org, ORGANIZATION_ROUTES.getMe.operationId],
    queryFn: ({ signal }) => organizationClient(org).call(ORGANIZATION_ROUTES.getMe, { signal }),
    staleTime: 30_000,
  });
}

const LAST = "mooring.organization";

/** The organization that this browser showed last. */
export function lastOrganization(): string | null {
  return localStorage.getItem(LAST);
}

export function rememberOrganization(org: string): void {
  localStorage.setItem(LAST, org);
}
