import { ORGANIZATION_ROUTES } from "@mooring/contract";
import type { ReactNode } from "react";
import { useRead } from "~/api/queries.ts";
import { PageLink } from "~/app/page-link.tsx";
import { Spinner } from "~/kit/button.tsx";
import { State } from "~/kit/state.tsx";
import { Time } from "~/kit/time.tsx";

const EVERY_MS = 3000;

/** Says whether the newest secret of a key has been used. The server saves the time of the last use every ten seconds. */
export function FirstUse({ id }: { id: string }): ReactNode {
  const { data } = useRead(ORGANIZATION_ROUTES.getIngestKey, { params: { key_id: id } }, { refetchMs: EVERY_MS });
  const usedAt = data?.secrets[0]?.last_used_at ?? null;
  return (
    <p role="status" className="flex flex-wrap items-center gap-2">
      {usedAt === null ? (
        <>
          <Spinner /> Waiting for the first request with this secret. If none is found after a minute, look for refused
          requests in the activity of the key.
        </>
      ) : (
        <>
          <State kind="go">Found</State> An agent at {data?.last_used_ip ?? "an unknown address"} used this secret{" "}
          <Time at={usedAt} />.<PageLink page="explore">Open the logs</PageLink>
        </>
      )}
    </p>
  );
}
