import { useCallback, useEffect, useMemo, useState, type ReactNode } from "react";
import { useSearchState } from "~/app/search.ts";
import { Button } from "./button.tsx";
import { TimeRangePicker } from "./time-range-picker.tsx";
import {
  boundsOf,
  momentText,
  rangeOf,
  searchOf,
  type Bounds,
  type RangeSearch,
  type BoundedRange,
} from "./time-range.ts";

type LiveSearch = RangeSearch & { live?: string | undefined };

export interface ChartRange {
  readonly range: BoundedRange;
  /** Fixed until a refresh, or while live until the next interval. */
  readonly bounds: Bounds;
  readonly fromS: number;
  readonly toS: number;
  readonly isLive: boolean;
  readonly refresh: () => void;
  readonly setRange: (range: BoundedRange) => void;
  readonly setLive: (live: boolean) => void;
}

const LIVE_MS = 15_000;

/**
 * Returns the time range in the address. Its bounds stay fixed between refreshes, so that cached results stay valid.
 */
export function useChartRange(fallback = "1h"): ChartRange {
  const [search, setSearch] = useSearchState<LiveSearch>();
  const { range: last, from, to, live } = search;
  const range = useMemo(
    () =>
      rangeOf(
        {
          ...(last === undefined ? {} : { range: last }),
          ...(from === undefined ? {} : { from }),
          ...(to === undefined ? {} : { to }),
        },
        fallback,
      ),
    [last, from, to, fallback],
  );
  const [anchor, setAnchor] = useState(() => ({ range, nowMs: Date.now() }));
  // A new range is relative to the time when it was chosen.
  if (anchor.range !== range) setAnchor({ range, nowMs: Date.now() });
  const { nowMs } = anchor;
  const refresh = useCallback(() => setAnchor((before) => ({ ...before, nowMs: Date.now() })), []);
  const isLive = live === "on" && range.kind === "last";
  useEffect(() => {
    if (!isLive) return;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") refresh();
    }, LIVE_MS);
    return () => clearInterval(timer);
  }, [isLive, refresh]);
  const bounds = useMemo(() => boundsOf(range, nowMs), [range, nowMs]);
  return {
    range,
    bounds,
    fromS: Date.parse(bounds.from) / 1000,
    toS: Date.parse(bounds.to) / 1000,
    isLive,
    refresh,
    setRange: (chosen) => setSearch(searchOf(chosen), { push: true }),
    setLive: (on) => setSearch({ live: on ? "on" : undefined }),
  };
}

const WAIT_MS = 5000;

/** Reads again every few seconds while the page is empty. */
export function useWaiting({ range, refresh }: Pick<ChartRange, "range" | "refresh">, isEmpty: boolean): void {
  const isWaiting = isEmpty && range.kind === "last";
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") refresh();
    }, WAIT_MS);
    return () => clearInterval(timer);
  }, [isWaiting, refresh]);
}

/** Returns the range that was selected on a chart. */
export function drawnRange(fromS: number, toS: number): BoundedRange {
  return { kind: "between", from: momentText(Math.round(fromS * 1000)), to: momentText(Math.round(toS * 1000)) };
}

/** Controls for the time range, live updates, and a refresh. */
export function RangeControls({ of }: { of: ChartRange }): ReactNode {
  return (
    <>
      <TimeRangePicker range={of.range} onChange={of.setRange} />
      <Button
        aria-pressed={of.isLive}
        disabled={of.range.kind === "between"}
        title={
          of.range.kind === "between" ? "The range is in the past and gets no new data" : "Refresh every 15 seconds"
        }
        onClick={() => of.setLive(!of.isLive)}
      >
        {of.isLive ? "Pause" : "Live"}
      </Button>
      <Button onClick={of.refresh}>Refresh</Button>
    </>
  );
}
