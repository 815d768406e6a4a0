import { ORGANIZATION_ROUTES, type ResultOf } from "@mooring/contract";
import type { ReactNode } from "react";
import { useRead } from "~/api/queries.ts";
import { countText, plural } from "~/kit/figures.ts";
import { visibleText } from "~/kit/foreign.ts";
import { Loaded } from "~/kit/page.tsx";
import { Time } from "~/kit/time.tsx";

type Activity = ResultOf<typeof ORGANIZATION_ROUTES.getS3KeyActivity>;

/** What a key did in the last hour and day, and from where: what would stop without it. */
export function KeyActivity({ id }: { id: string }): ReactNode {
  const result = useRead(
    ORGANIZATION_ROUTES.getS3KeyActivity,
    { params: { key_id: id }, purpose: "read what the key did" },
    { refetchMs: 30_000 },
  );
  return <Loaded result={result}>{(activity) => <ActivityFigures activity={activity} />}</Loaded>;
}

function ActivityFigures({ activity: { last_hour, last_day, by_address } }: { activity: Activity }): ReactNode {
  return (
    <>
      <p>
        {plural(last_hour.requests, "request")} in the last hour, {countText(last_day.requests)} in the last day
        {last_day.refused > 0 && <>, of them {countText(last_day.refused)} refused</>}.
      </p>
      {by_address.length > 0 && (
        <ul className="flex flex-col gap-1" aria-label="from where, in the last day">
          {by_address.map(({ ip, user_agent, requests, last_at }) => (
            <li key={`${ip} ${user_agent}`} className="min-w-0 border-t border-line pt-1">
              <span className="flex flex-wrap gap-x-3">
                <code>{ip ?? "other addresses"}</code>
                <span>{plural(requests, "request")}</span>
                <Time at={last_at} />
              </span>
              {user_agent !== null && (
                <span className="block truncate text-s text-ink-2" title={visibleText(user_agent)}>
                  {visibleText(user_agent)}
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
