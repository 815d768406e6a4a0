import { memo, useId, useRef, useState, type KeyboardEvent, type PointerEvent, type ReactNode } from "react";
import { Button } from "./button.tsx";
import { cn } from "./cn.ts";
import { countText } from "./figures.ts";

export interface BarSeries {
  readonly name: string;
  /** A class for the colour, for example `fill-stop`. */
  readonly fill: string;
}

export interface Bar {
  /** The label below the chart, if there is space. */
  readonly short: string;
  /** The full label of the bar. */
  readonly label: string;
  /** One value for each series; the first is at the bottom. */
  readonly values: readonly number[];
}

interface BarsProps {
  /** The title, for screen readers and above the table. */
  label: string;
  series: readonly BarSeries[];
  bars: readonly Bar[];
  height?: number;
  /** Called with the first and the last selected bar. Without it, bars can't be selected. */
  onSelect?: ((first: number, last: number) => void) | undefined;
  text?: (value: number) => string;
}

interface Choice {
  readonly from: number;
  readonly to: number;
}

/**
 * A chart of stacked bars. People select a range by dragging, or with Shift, arrow keys and Enter. `t` switches between
 * the chart and a table.
 */
export function Bars({ label, series, bars, height = 84, onSelect, text = countText }: BarsProps): ReactNode {
  const [asTable, setAsTable] = useState(false);
  const [at, setAt] = useState<number | null>(null);
  const help = useId();
  const toggle = (): void => setAsTable(!asTable);
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <div className="flex min-h-6 items-center gap-3 text-s text-ink-2">
        <p className="mono min-w-0 flex-1 truncate" aria-live="polite">
          {at === null ? " " : readout(bars[at], series, text)}
        </p>
        <span id={help} className="sr-only">
          Arrow keys move{onSelect && ", with Shift they select, Enter narrows the range to the selection"}; t shows the
          table.
        </span>
        <Button look="quiet" className="h-6! px-1.5! text-s" aria-pressed={asTable} onClick={toggle}>
          {asTable ? "As chart" : "As table"}
        </Button>
      </div>
      {asTable ? (
        <BarsTable label={label} series={series} bars={bars} text={text} />
      ) : (
        <Chart {...{ label, series, bars, height, onSelect, at, setAt, toggle, help, text }} />
      )}
    </div>
  );
}

function readout(bar: Bar | undefined, series: readonly BarSeries[], text: (value: number) => string): string {
  if (bar === undefined) return " ";
  const parts = bar.values
    .map((value, index) => [series[index]?.name, value] as const)
    .filter(([, value]) => value !== 0);
  return [bar.label, ...parts.map(([name, value]) => `${name ?? ""} ${text(value)}`)].join(" · ");
}

interface ChartProps extends Required<Pick<BarsProps, "label" | "series" | "bars" | "height" | "text">> {
  onSelect: BarsProps["onSelect"];
  at: number | null;
  setAt: (at: number | null) => void;
  toggle: () => void;
  help: string;
}

function Chart({ label, series, bars, height, onSelect, at, setAt, toggle, help, text }: ChartProps): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const [choice, setChoice] = useState<Choice | null>(null);
  const last = bars.length - 1;
  const indexAt = (event: PointerEvent): number => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    return Math.max(0, Math.min(last, Math.floor(((event.clientX - left) / width) * bars.length)));
  };
  const take = (taken: Choice | null): void => {
    setChoice(null);
    if (taken !== null) onSelect?.(Math.min(taken.from, taken.to), Math.max(taken.from, taken.to));
  };
  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step !== undefined) {
      const to = Math.max(0, Math.min(last, (at ?? (step > 0 ? -1 : bars.length)) + step));
      setChoice(event.shiftKey && onSelect !== undefined ? { from: choice?.from ?? at ?? to, to } : null);
      setAt(to);
    } else if (event.key === "Enter" && at !== null) take(choice ?? { from: at, to: at });
    else if (event.key === "Escape" && choice !== null) setChoice(null);
    else if (event.key === "t" && !event.metaKey && !event.ctrlKey) toggle();
    else return;
    event.preventDefault();
  };
  return (
    <div>
      <div
        ref={box}
        role="group"
        aria-label={label}
        aria-describedby={help}
        tabIndex={0}
        className={cn("relative touch-pan-y select-none", onSelect !== undefined && "cursor-crosshair")}
        onKeyDown={onKey}
        onBlur={() => setAt(null)}
        onPointerLeave={() => choice === null && setAt(null)}
        onPointerMove={(event) => {
          const index = indexAt(event);
          if (index !== at) setAt(index);
          if (choice !== null && event.buttons === 1 && index !== choice.to) setChoice({ ...choice, to: index });
        }}
        onPointerDown={(event) => {
          if (onSelect === undefined || event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          setChoice({ from: indexAt(event), to: indexAt(event) });
        }}
        onPointerUp={() => take(choice)}
        onPointerCancel={() => setChoice(null)}
      >
        <Stacks series={series} bars={bars} height={height} />
        <Top bars={bars} text={text} />
        <Shade from={choice?.from ?? at} to={choice?.to ?? at} count={bars.length} strong={choice !== null} />
      </div>
      <Axis bars={bars} />
    </div>
  );
}

/** Shows the value of the tallest bar. */
function Top({ bars, text }: Pick<ChartProps, "bars" | "text">): ReactNode {
  const top = tallest(bars);
  if (top === 0) return null;
  return (
    <span
      aria-hidden="true"
      className="mono pointer-events-none absolute top-0 left-0 bg-sheet/80 px-0.5 text-xs text-ink-3"
    >
      {text(top)}
    </span>
  );
}

function tallest(bars: readonly Bar[]): number {
  return Math.max(0, ...bars.map(({ values }) => values.reduce((sum, value) => sum + Math.max(0, value), 0)));
}

/** Marks the current bar. It is separate from the bars, so that they are not drawn again. */
function Shade({
  from,
  to,
  count,
  strong,
}: {
  from: number | null;
  to: number | null;
  count: number;
  strong: boolean;
}): ReactNode {
  if (from === null || to === null) return null;
  const [first, end] = [Math.min(from, to), Math.max(from, to) + 1];
  return (
    <div
      className={cn(
        "pointer-events-none absolute inset-y-0 border-x",
        strong ? "border-sea bg-sea/15" : "border-line-2 bg-ink/5",
      )}
      style={{ left: `${(first / count) * 100}%`, width: `${((end - first) / count) * 100}%` }}
    />
  );
}

const Stacks = memo(function Stacks({
  series,
  bars,
  height,
}: Pick<ChartProps, "series" | "bars" | "height">): ReactNode {
  const top = tallest(bars) || 1;
  return (
    <svg
      viewBox={`0 0 ${Math.max(1, bars.length) * 10} ${height}`}
      width="100%"
      height={height}
      preserveAspectRatio="none"
      aria-hidden="true"
      className="block border-b border-line-2"
    >
      {bars.map(({ values, label }, index) => {
        let bottom = height;
        return values.map((value, which) => {
          if (value <= 0) return null;
          // Keeps the smallest value visible.
          const tall = Math.max(1, (value / top) * (height - 4));
          bottom -= tall;
          return (
            <rect
              key={`${label}/${which}`}
              x={index * 10 + 1}
              y={bottom}
              width={8}
              height={tall}
              className={series[which]?.fill}
            />
          );
        });
      })}
    </svg>
  );
});

/** Shows at most six labels, each at the left edge of its bar. */
const Axis = memo(function Axis({ bars }: { bars: readonly Bar[] }): ReactNode {
  const every = Math.max(1, Math.ceil(bars.length / 6));
  return (
    <div aria-hidden="true" className="relative h-5 overflow-hidden text-ink-3">
      {bars.map((bar, index) =>
        index % every === 0 ? (
          <span
            key={bar.label}
            className={cn("mono absolute top-0.5 truncate text-xs", index % (every * 2) !== 0 && "max-sm:hidden")}
            style={{ left: `${(index / bars.length) * 100}%`, maxWidth: `${(every / bars.length) * 100 * 1.4}%` }}
          >
            {bar.short}
          </span>
        ) : null,
      )}
    </div>
  );
});

function BarsTable({
  label,
  series,
  bars,
  text,
}: Required<Pick<BarsProps, "label" | "series" | "bars" | "text">>): ReactNode {
  return (
    <div className="max-h-56 overflow-auto" tabIndex={0} role="group" aria-label={label}>
      <table className="w-full border-collapse">
        <thead>
          <tr>
            {["", ...series.map(({ name }) => name)].map((name, index) => (
              <th
                key={name}
                scope="col"
                className={cn(
                  "sticky top-0 bg-sheet px-2 text-s font-medium text-ink-3",
                  index === 0 ? "text-left" : "text-right",
                )}
              >
                {name === "" ? <span className="sr-only">What</span> : name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {bars.map((bar) => (
            <tr key={bar.label} className="border-t border-line">
              <th scope="row" className="mono px-2 text-left font-normal">
                {bar.label}
              </th>
              {bar.values.map((value, index) => (
                <td key={series[index]?.name ?? index} className="mono px-2 text-right">
                  {text(value)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
