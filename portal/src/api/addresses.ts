import { DISCOVERY_ROUTES, type ResultOf } from "@mooring/contract";
import { useQuery } from "@tanstack/react-query";
import { sessionClient } from "./clients.ts";

export type ServiceAddresses = ResultOf<typeof DISCOVERY_ROUTES.getAddresses>;

/** Where others reach each service; undefined while that is asked. */
export function useAddresses(): ServiceAddresses | undefined {
  const { data } = useQuery({
    queryKey: ["addresses"],
    queryFn: ({ signal }) => sessionClient.call(DISCOVERY_ROUTES.getAddresses, { signal }),
    staleTime: Infinity,
  });
  return data;
}
