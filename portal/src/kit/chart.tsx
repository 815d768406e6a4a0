import { lazy, Suspense, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { Button } from "./button.tsx";
import { lookOf } from "./chart-colours.ts";
import { timeText, valueText, type ChartData, type ChartUnit } from "./chart-model.ts";
import { ChartTable } from "./chart-table.tsx";
import { cn } from "./cn.ts";
import { visibleText } from "./foreign.ts";

const Plot = lazy(async () => ({ default: (await import("./chart-plot.tsx")).Plot }));

interface ChartProps {
  /** The name of the chart, for screen readers. */
  label: string;
  data: ChartData;
  unit?: ChartUnit;
  heightPx?: number;
  range?: readonly [fromS: number, toS: number];
  /** Called with the time range that was selected with the mouse. */
  onRange?: (fromS: number, toS: number) => void;
}

const DAY_S = 86_400;

/**
 * A chart of lines over time. The names are below, with the values at the cursor. The arrow keys move the cursor; `t`
 * shows the data as a table.
 */
export function Chart({ label, data, unit = "none", heightPx = 190, range, onRange }: ChartProps): ReactNode {
  const [isTable, setIsTable] = useState(false);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [emphasized, setEmphasized] = useState<string | null>(null);
  const [cursor, setCursor] = useState<number | null>(null);
  const onKey = useChartKeys({ data, cursor, setCursor, onTable: () => setIsTable((shown) => !shown) });
  const toggle = (name: string): void =>
    setHidden((before) => {
      const after = new Set(before);
      if (!after.delete(name)) after.add(name);
      return after;
    });
  return (
    <div className="flex min-w-0 flex-col gap-2" onKeyDown={onKey}>
      {isTable ? (
        <ChartTable label={label} data={data} unit={unit} />
      ) : (
        <div
          tabIndex={0}
          role="group"
          aria-label={`${label}: chart of ${data.series.length} lines; the arrow keys show values, t shows the table`}
          className="min-w-0"
          style={{ minHeight: heightPx }}
        >
          <Suspense fallback={null}>
            <Plot
              data={data}
              unit={unit}
              heightPx={heightPx}
              range={range}
              hidden={hidden}
              emphasized={emphasized}
              cursor={cursor}
              onCursor={setCursor}
              onRange={onRange}
            />
          </Suspense>
        </div>
      )}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-s">
        {!isTable && (
          <Legend
            data={data}
            unit={unit}
            at={cursor ?? data.times.length - 1}
            hidden={hidden}
            onToggle={toggle}
            onPoint={setEmphasized}
          />
        )}
        <Button
          look="quiet"
          className="ml-auto h-6 px-2 text-s"
          aria-pressed={isTable}
          onClick={() => setIsTable(!isTable)}
        >
          Table <kbd>t</kbd>
        </Button>
      </div>
    </div>
  );
}

/** Shows the names of the lines with the values at the cursor, or the last values without a cursor. */
function Legend({
  data,
  unit,
  at,
  hidden,
  onToggle,
  onPoint,
}: {
  data: ChartData;
  unit: ChartUnit;
  at: number;
  hidden: ReadonlySet<string>;
  onToggle: (label: string) => void;
  onPoint: (label: string | null) => void;
}): ReactNode {
  const atS = data.times[at];
  return (
    <>
      {data.series.map((series, index) => (
        <LegendItem
          key={series.label}
          label={series.label}
          look={lookOf(series, index)}
          value={valueText(series.values[at], unit)}
          isHidden={hidden.has(series.label)}
          onToggle={() => onToggle(series.label)}
          onPoint={(over) => onPoint(over ? series.label : null)}
        />
      ))}
      {atS !== undefined && <span className="mono text-ink-3">{timeText(atS, spanOf(data) > DAY_S)} UTC</span>}
    </>
  );
}

function spanOf({ times }: ChartData): number {
  return (times.at(-1) ?? 0) - (times[0] ?? 0);
}

function LegendItem({
  label,
  look,
  value,
  isHidden,
  onToggle,
  onPoint,
}: {
  label: string;
  look: ReturnType<typeof lookOf>;
  value: string;
  isHidden: boolean;
  onToggle: () => void;
  onPoint: (over: boolean) => void;
}): ReactNode {
  return (
    <button
      type="button"
      aria-pressed={!isHidden}
      title={`${isHidden ? "Show" : "Hide"} ${visibleText(label)}`}
      onClick={onToggle}
      onMouseEnter={() => onPoint(true)}
      onMouseLeave={() => onPoint(false)}
      onFocus={() => onPoint(true)}
      onBlur={() => onPoint(false)}
      className={cn(
        "inline-flex min-h-6 max-w-full items-center gap-1.5 rounded hover:text-sea",
        isHidden && "text-ink-3 line-through",
      )}
    >
      <svg width="18" height="6" aria-hidden="true" className="shrink-0">
        <path
          d="M0 3H18"
          strokeWidth="2"
          strokeDasharray={look.dash.join(" ")}
          style={{ stroke: `var(${look.token})` }}
        />
      </svg>
      <span className="truncate">{visibleText(label)}</span>
      <span className="mono text-ink-2">{value}</span>
    </button>
  );
}

const JUMP_WITHIN_MS = 1500;

/** Handles the keys: arrows move the cursor, `t` shows the table, but not in the shortcut `g t`. */
function useChartKeys({
  data,
  cursor,
  setCursor,
  onTable,
}: {
  data: ChartData;
  cursor: number | null;
  setCursor: (index: number) => void;
  onTable: () => void;
}): (event: KeyboardEvent) => void {
  const jumpedAtMs = useRef(-Infinity);
  return (event) => {
    if (event.metaKey || event.ctrlKey || event.altKey) return;
    if (event.key === "g") jumpedAtMs.current = performance.now();
    else if (event.key === "t" && performance.now() - jumpedAtMs.current > JUMP_WITHIN_MS) onTable();
    const last = data.times.length - 1;
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
    if (step === undefined || last < 0 || (event.target as HTMLElement).closest("table,button") !== null) return;
    event.preventDefault();
    setCursor(Math.max(0, Math.min(last, (cursor ?? last) + step)));
  };
}
