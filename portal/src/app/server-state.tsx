import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { State } from "~/kit/state.tsx";

interface Health {
  readonly status: string;
}

/** Shows whether the server answers and is healthy. Checks every 30 seconds. */
export function ServerState(): ReactNode {
  const { data, error } = useQuery({
    queryKey: ["health"],
    queryFn: async ({ signal }) => {
      const response = await fetch("/health", { signal });
      return (await response.json()) as Health;
    },
    refetchInterval: 30_000,
    staleTime: 20_000,
  });
  if (error !== null) return <State kind="stop">no answer</State>;
  if (data === undefined) return null;
  return (
    <span className="max-md:hidden">
      {data.status === "ok" ? <State kind="go">all services up</State> : <State kind="warn">{data.status}</State>}
    </span>
  );
}
