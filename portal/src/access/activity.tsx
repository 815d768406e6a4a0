import type { ReactNode } from "react";
import { countText, plural } from "~/kit/figures.ts";
import { visibleText } from "~/kit/foreign.ts";
import { Loaded } from "~/kit/page.tsx";
import { Time } from "~/kit/time.tsx";
import { useActivity, type AccessItem, type AccessKind, type Activity } from "./kind.ts";

interface ActivityProps<T extends AccessItem> {
  kind: AccessKind<T>;
  id: string;
}

/** Shows the requests of the last hour and day, by service and by address. */
export function ActivityPart<T extends AccessItem>({ kind, id }: ActivityProps<T>): ReactNode {
  return <Loaded result={useActivity(kind, id)}>{(activity) => <Figures activity={activity} />}</Loaded>;
}

function Figures({ activity }: { activity: Activity }): ReactNode {
  const { last_hour: hour, last_day: day, by_address: addresses, by_service: services } = activity;
  if (day.requests === 0) return <p className="text-ink-2">No requests in the last day.</p>;
  return (
    <>
      <p>
        {countedText(hour)} in the last hour, {countedText(day)} in the last day:{" "}
        <span className="text-ink-2">
          {services.map(({ service, requests }) => `${service} ${countText(requests)}`).join(", ")}
        </span>
      </p>
      <ul aria-label="Addresses in the last day, those with most requests first">
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
  const shown = text === null ? "no user agent" : visibleText(text);
  return (
    <span className="block truncate text-s text-ink-2" title={shown}>
      {shown}
    </span>
  );
}

function countedText({ requests, refused }: { readonly requests: number; readonly refused: number }): string {
  return plural(requests, "request") + (refused === 0 ? "" : ` (${countText(refused)} refused)`);
}

/** Shows how many clients will lose access by a revocation. */
export function ImpactNote<T extends AccessItem>({ kind, id }: ActivityProps<T>): ReactNode {
  const { data, error } = useActivity(kind, id);
  if (error !== null) return <p>Recent activity is not available now.</p>;
  if (data === undefined) return <p>Reading recent activity…</p>;
  const { last_hour: hour, last_day: day, by_address: addresses } = data;
  if (day.requests === 0) return <p>No requests used it in the last day.</p>;
  const from = addresses.slice(0, 3).map(({ ip }) => ip ?? "others");
  const more = addresses.length - from.length;
  return (
    <p>
      <strong className="font-medium">{plural(hour.requests, "request")} in the last hour</strong> and{" "}
      {countText(day.requests)} in the last day used it, from <code>{[...new Set(from)].join(", ")}</code>
      {more > 0 && ` and ${more} more`}. They will be refused.
    </p>
  );
}
