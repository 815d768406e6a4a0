import { useEffect, useRef, useState, type ReactNode } from "react";
import UPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { Button } from "./button.tsx";
import { axisText } from "./bars-steps.ts";
import { shortText } from "./time-range.ts";
import type { Drawn } from "./chart-data.ts";

const COLOURS = ["--sea", "--ink-2", "--warn", "--go", "--stop", "--ink-3", "--focus"];
const DASHES = [[], [6, 3], [2, 2], [8, 3, 2, 3], [12, 4], [4, 4], [1, 3]];
const HEIGHT = 280;

/** A chart of lines over time (UTC). A button shows the same data as a table. */
export function LineChart({ drawn, label }: { drawn: Drawn; label: string }): ReactNode {
  const host = useRef<HTMLDivElement>(null);
  const [asTable, setAsTable] = useState(false);
  useEffect(() => {
    const element = host.current;
    if (element === null || asTable) return;
    let plot = draw(element, drawn);
    const redraw = (): void => {
      plot.destroy();
      plot = draw(element, drawn);
    };
    const sizes = new ResizeObserver(([entry]) => {
      if (entry !== undefined) plot.setSize({ width: entry.contentRect.width, height: HEIGHT });
    });
    sizes.observe(element);
    const theme = new MutationObserver(redraw);
    theme.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => {
      sizes.disconnect();
      theme.disconnect();
      plot.destroy();
    };
  }, [drawn, asTable]);
  return (
    <div
      role="group"
      aria-label={label}
      tabIndex={0}
      onKeyDown={(event) => {
        if (event.key === "t" && !event.metaKey && !event.ctrlKey) setAsTable(!asTable);
      }}
    >
      <div className="flex justify-end">
        <Button
          look="quiet"
          className="h-6! px-1.5! text-s"
          aria-pressed={asTable}
          onClick={() => setAsTable(!asTable)}
        >
          {asTable ? "As chart" : "As table"}
        </Button>
      </div>
      {asTable ? (
        <PointTable drawn={drawn} label={label} />
      ) : (
        <div
          ref={host}
          className="mono min-w-0 [&_.u-legend]:text-s [&_.u-legend_th]:font-normal [&_.uplot]:font-mono"
        />
      )}
    </div>
  );
}

function draw(element: HTMLElement, { positions, series }: Drawn): UPlot {
  const style = getComputedStyle(element);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  const axis = {
    stroke: colour("--ink-2"),
    font: `11px ${style.fontFamily}`,
    grid: { stroke: colour("--line"), width: 1 },
    ticks: { stroke: colour("--line-2"), width: 1 },
  };
  return new UPlot(
    {
      width: Math.max(200, element.clientWidth),
      height: HEIGHT,
      tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
      axes: [
        {
          ...axis,
          values: (_plot, seconds, _axis, _room, step) => seconds.map((each) => axisText(each * 1000, step * 1000)),
        },
        { ...axis, size: 64 },
      ],
      series: [
        {
          label: "UTC",
          value: (_plot, seconds) => (seconds === null ? "" : shortText(new Date(seconds * 1000).toISOString())),
        },
        ...series.map(({ name }, index) => ({
          label: name,
          stroke: colour(COLOURS[index] ?? "--ink-3"),
          dash: DASHES[index] ?? [],
          width: 1.25,
          points: { show: positions.length < 60, size: 4 },
        })),
      ],
    },
    [positions.map((position) => Number(position) / 1000), ...series.map(({ values }) => [...values])],
    element,
  );
}

const ROWS_MAX = 500;

function PointTable({ drawn: { positions, series }, label }: { drawn: Drawn; label: string }): ReactNode {
  return (
    <div className="max-h-72 overflow-auto">
      <table className="w-full border-collapse">
        <caption className="sr-only">{label}</caption>
        <thead>
          <tr>
            <th scope="col" className="px-2 text-left text-s font-medium text-ink-3">
              Time (UTC)
            </th>
            {series.map(({ name }) => (
              <th key={name} scope="col" className="mono px-2 text-right text-s font-medium text-ink-3">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {positions.slice(0, ROWS_MAX).map((position, index) => (
            <tr key={position} className="border-t border-line">
              <th scope="row" className="mono px-2 text-left font-normal">
                {shortText(new Date(Number(position)).toISOString())}
              </th>
              {series.map(({ name, values }) => (
                <td key={name} className="mono px-2 text-right">
                  {values[index] ?? ""}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {positions.length > ROWS_MAX && (
        <p className="p-2 text-ink-2">
          The first {ROWS_MAX} of {positions.length}; the grid has all.
        </p>
      )}
    </div>
  );
}
