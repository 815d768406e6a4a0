import { DISCOVERY_ROUTES, type ResultOf } from "@mooring/contract";
import { useQuery } from "@tanstack/react-query";
import { sessionClient } from "./clients.ts";

export type ServiceAddresses = ResultOf<typeof DISCOVERY_ROUTES.getAddresses>;

/** Returns the public address of each service, or undefined while they are loading. */
export function useAddresses(): ServiceAddresses | undefined {
  const { data } = useQuery({
    queryKey: ["addresses"],
    queryFn: ({ signal }) => sessionClient.call(DISCOVERY_ROUTES.getAddresses, { signal }),
    staleTime: Infinity,
  });
  return data;
}
