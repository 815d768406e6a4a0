import type { ReactNode } from "react";
import { visibleText } from "../foreign.ts";
import { layoutPennants } from "./labels.ts";
import type { ChartEvent } from "./model.ts";
import type { Scales } from "./scales.ts";

/** The lane above the plot: a pennant for each deploy, a bar for as long as an alert fired. */
export function Lane({ events, scales }: { events: readonly ChartEvent[]; scales: Scales }): ReactNode {
  const { from, to, widthPx, xPx } = scales;
  const deploys = deploysIn(events, scales);
  const sides = layoutPennants(
    deploys.map(({ atS, text }) => ({ atPx: xPx(atS), text: visibleText(text) })),
    widthPx,
  );
  return (
    <div className="ch-lane" data-full={events.length > 0 || undefined} aria-hidden="true">
      {events.map((event, index) => {
        if (event.kind !== "alert" || event.toS < from || event.fromS > to) return null;
        const [left, right] = [Math.max(0, xPx(event.fromS)), Math.min(widthPx, xPx(event.toS))];
        const width = Math.max(2, right - left);
        return <i key={index} className="ch-alert" data-level={event.level} style={{ left, width }} />;
      })}
      {deploys.map(({ atS, text }, index) => (
        <i key={`${atS} ${text}`} className="ch-pennant not-italic" data-side={sides[index]} style={{ left: xPx(atS) }}>
          {sides[index] !== "none" && <span>{visibleText(text)}</span>}
        </i>
      ))}
    </div>
  );
}

/** Returns the deploys within the range. */
export function deploysIn(
  events: readonly ChartEvent[],
  { from, to }: Scales,
): readonly Extract<ChartEvent, { kind: "deploy" }>[] {
  return events.flatMap((event) => (event.kind === "deploy" && event.atS >= from && event.atS <= to ? [event] : []));
}
