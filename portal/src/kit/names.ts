import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { useQuery } from "@tanstack/react-query";
import { useMayAnywhere, useMayIn } from "~/app/may.ts";
import { useMe, useOrganization } from "~/app/scope.ts";

const NAMES_MAX = 1000;

async function some<I>(items: AsyncIterable<I>): Promise<I[]> {
  const all: I[] = [];
  for await (const item of items) if (all.push(item) >= NAMES_MAX) break;
  return all;
}

/**
 * Returns the names of members, credentials and projects by id, as far as the person may see them. If an object was
 * deleted or is not visible, its id has no name.
 */
export function useNames(): (id: string) => string | undefined {
  const me = useMe();
  const known = useKnown();
  return (id) => {
    if (id === me?.organization.id) return me.organization.name;
    return known.get(id) ?? me?.projects.find((project) => project.id === id)?.name;
  };
}

/** Returns the names of members and credentials by id, for a choice. Empty while they are loading. */
export function useKnown(): ReadonlyMap<string, string> {
  const { client, slug } = useOrganization();
  const me = useMe();
  const mayMembers = useMayIn(null, "org:read");
  const mayCredentials = useMayAnywhere("credentials:read");
  const { data } = useQuery({
    queryKey: [slug, "names", mayMembers, mayCredentials],
    staleTime: 60_000,
    enabled: me !== undefined,
    queryFn: async ({ signal }) => {
      const query = { include_revoked: true };
      const [members, credentials] = await Promise.all([
        mayMembers ? some(client.items(ORGANIZATION_ROUTES.listMembers, { signal })) : [],
        mayCredentials ? some(client.items(ORGANIZATION_ROUTES.listCredentials, { query, signal })) : [],
      ]);
      return new Map([
        ...members.map((member) => [member.user_id, member.name || member.email] as const),
        ...credentials.flatMap(({ id, client_id, name }) => [[id, name] as const, [client_id, name] as const]),
      ]);
    },
  });
  return data ?? NOBODY;
}

const NOBODY: ReadonlyMap<string, string> = new Map();
