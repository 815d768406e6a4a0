import { useEffect, useState, type ReactNode } from "react";
import { relativeText } from "./figures.ts";

/** From now, with exact UTC on hover; `none` where there is no time. */
export function Time({ at, none = "never" }: { at: string | null | undefined; none?: string }): ReactNode {
  useNow(at === null || at === undefined ? 0 : 10_000);
  if (at === null || at === undefined) return <span className="text-ink-3">{none}</span>;
  return (
    <time dateTime={at} title={at} className="whitespace-nowrap">
      {/* Not the time of the last refresh: a new object would lie in its future. */}
      {relativeText(new Date(at), new Date())}
    </time>
  );
}

/** Now, renewed so often; 0: once. */
export function useNow(everyMs: number): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    if (everyMs === 0) return;
    const timer = setInterval(() => setNow(new Date()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
