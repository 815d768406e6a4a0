import { ORGANIZATION_ROUTES, type ResultOf } from "@mooring/contract";
import { useQuery } from "@tanstack/react-query";
import { useMayIn } from "~/app/may.ts";
import { useOrganization } from "~/app/scope.ts";

export type Person = ResultOf<typeof ORGANIZATION_ROUTES.listMembers>["items"][number];

const READ_MAX = 1000;

/** Returns the organization's first 1000 people by id. Undefined: not loaded, or not allowed. */
export function usePeople(): ReadonlyMap<string, Person> | undefined {
  const organization = useOrganization();
  const enabled = useMayIn(null, "org:read");
  const { data } = useQuery({
    queryKey: [organization.slug, ORGANIZATION_ROUTES.listMembers.operationId, "everyone"],
    queryFn: async ({ signal }) => {
      const people = new Map<string, Person>();
      for await (const person of organization.client.items(ORGANIZATION_ROUTES.listMembers, { signal })) {
        people.set(person.user_id, person);
        if (people.size >= READ_MAX) break;
      }
      return people;
    },
    enabled,
  });
  return data;
}
