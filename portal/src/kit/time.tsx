import { useEffect, useState, type ReactNode } from "react";
import { relativeText } from "./figures.ts";

/** Shows a time relative to now, with the exact UTC time on hover; `none` if there is no time. */
export function Time({ at, none = "never" }: { at: string | null | undefined; none?: string }): ReactNode {
  useNow(at === null || at === undefined ? 0 : 10_000);
  if (at === null || at === undefined) return <span className="text-ink-3">{none}</span>;
  return (
    <time dateTime={at} title={at} className="whitespace-nowrap">
      {/* Uses the current time, not the time of the last refresh, which would be before a new object's time. */}
      {relativeText(new Date(at), new Date())}
    </time>
  );
}

/** Returns the current time, updated at this interval; 0: never updated. */
export function useNow(everyMs: number): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    if (everyMs === 0) return;
    const timer = setInterval(() => setNow(new Date()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
