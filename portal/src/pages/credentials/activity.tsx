import { ORGANIZATION_ROUTES, type ResultOf } from "@mooring/contract";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useRead } from "~/api/queries.ts";
import { countText, plural } from "~/kit/figures.ts";
import { visibleText } from "~/kit/foreign.ts";
import { Loaded } from "~/kit/page.tsx";
import { Time } from "~/kit/time.tsx";

type Activity = ResultOf<typeof ORGANIZATION_ROUTES.getCredentialActivity>;

const RENEWED_MS = 30_000;

/** What a credential did lately, renewed while it is looked at. */
export function useActivity(id: string): UseQueryResult<Activity> {
  return useRead(
    ORGANIZATION_ROUTES.getCredentialActivity,
    { params: { credential_id: id } },
    { refetchMs: RENEWED_MS },
  );
}

/** Requests of the last hour and day, by service and by address. */
export function ActivityPart({ id }: { id: string }): ReactNode {
  return <Loaded result={useActivity(id)}>{(activity) => <Figures activity={activity} />}</Loaded>;
}

function Figures({ activity }: { activity: Activity }): ReactNode {
  const { last_hour: hour, last_day: day, by_address: addresses, by_service: services } = activity;
  if (day.requests === 0) return <p className="text-ink-2">No request in the last day.</p>;
  return (
    <>
      <p>
        {countedText(hour)} in the last hour, {countedText(day)} in the last day:{" "}
        <span className="text-ink-2">
          {services.map(({ service, requests }) => `${service} ${countText(requests)}`).join(", ")}
        </span>
      </p>
      <ul aria-label="Addresses of the last day, most requests first">
        {addresses.map(({ ip, user_agent, requests, last_at }) => (
          <li key={`${ip ?? ""} ${user_agent ?? ""}`} className="min-w-0 border-t border-line py-1">
            <span className="flex flex-wrap gap-x-3">
              <code>{ip ?? "other addresses"}</code>
              <span>{plural(requests, "request")}</span>
              <Time at={last_at} />
            </span>
            <Agent text={user_agent} />
          </li>
        ))}
      </ul>
    </>
  );
}

function Agent({ text }: { text: string | null }): ReactNode {
  const shown = text === null ? "not said" : visibleText(text);
  return (
    <span className="block truncate text-s text-ink-2" title={shown}>
      {shown}
    </span>
  );
}

function countedText({ requests, refused }: { readonly requests: number; readonly refused: number }): string {
  return plural(requests, "request") + (refused === 0 ? "" : ` (${countText(refused)} refused)`);
}

/** What would stop: said before a revocation. */
export function ImpactNote({ id }: { id: string }): ReactNode {
  const { data, error } = useActivity(id);
  if (error !== null) return <p>What it did lately can't be read now.</p>;
  if (data === undefined) return <p>Looking up what it did lately…</p>;
  const { last_hour: hour, last_day: day, by_address: addresses } = data;
  if (day.requests === 0) return <p>No request came with it in the last day.</p>;
  const from = addresses.slice(0, 3).map(({ ip }) => ip ?? "others");
  const more = addresses.length - from.length;
  return (
    <p>
      <strong className="font-medium">{plural(hour.requests, "request")} in the last hour</strong> and{" "}
      {countText(day.requests)} in the last day came with it, from <code>{[...new Set(from)].join(", ")}</code>
      {more > 0 && ` and ${more} more`}. They will be refused.
    </p>
  );
}
