import { useEffect, useId, useMemo, useRef, useState, type ReactNode } from "react";
import { Button } from "../button.tsx";
import { visibleText } from "../foreign.ts";
import { TIME_AXIS } from "./axis.ts";
import "./chart.css";
import { ChartPicture } from "./picture.tsx";
import { DataTable } from "./data-table.tsx";
import { usePointer, useSlots } from "./group.tsx";
import { useChartKeys } from "./keys.ts";
import { EventLegend, Legend } from "./legend.tsx";
import { hasValues, limitSeries, stepOf, type ChartData } from "./model.ts";
import { spokenAt } from "./overlay.tsx";
import type { ChartProps } from "./props.ts";
import { isBarred } from "./scales.ts";
import { sentenceOf } from "./sentence.ts";

/**
 * The one chart of the portal. Arrow keys show values, with Shift they mark a range, Enter zooms to it, `t` shows the
 * data as a table.
 */
export function Chart(props: ChartProps): ReactNode {
  const { label, mark = "line", unit = "none", axis = TIME_AXIS, heightPx = 190, onRange } = props;
  const id = useId();
  const root = useRef<HTMLDivElement>(null);
  const [isTable, setIsTable] = useState(false);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [emphasized, setEmphasized] = useState<string | null>(null);
  const [hasZero, setHasZero] = useState(true);
  const [spoken, setSpoken] = useState("");
  const pointer = usePointer(axis.kind === "time");
  const given = props.data;
  const data = useMemo(() => (given === undefined || mark === "heat" ? given : limitSeries(given)), [given, mark]);
  const shown = useMemo(() => (data === undefined ? NO_DATA : visibleOf(data, hidden)), [data, hidden]);
  const slots = useSlots(data?.series ?? NO_DATA.series);
  const isEmpty = !hasValues(shown);
  const toggleTable = useTableFocus(root, isTable, setIsTable);
  const zoom = (): void => {
    const { range } = pointer.get();
    if (range === null) return;
    pointer.set({ range: null, at: null });
    onRange?.(Math.min(...range), Math.max(...range));
  };
  const onKey = useChartKeys({
    id,
    data: shown,
    pointer,
    canZoom: onRange !== undefined,
    onZoom: zoom,
    onTable: () => !isEmpty && toggleTable(),
    onMoved: (index) => setSpoken(spokenAt({ data: shown, mark, axis, unit }, index)),
    stepS: isBarred(mark) ? stepOf(shown) : 0,
  });
  const legend = !isEmpty && data !== undefined && (
    <div className="ch-legend">
      <Legend {...{ data, mark, unit, slots, hidden }} onHidden={setHidden} onEmphasize={setEmphasized} />
      <Switches events={props.events} isTable={isTable} onTable={toggleTable}>
        {!isBarred(mark) && !isTable && (
          <Switch isOn={!hasZero} onClick={() => setHasZero(!hasZero)} title="Let the axis begin near the values">
            Without zero
          </Switch>
        )}
      </Switches>
    </div>
  );
  return (
    <div ref={root} className="ch-root min-w-0" onKeyDown={onKey}>
      {isTable && !isEmpty ? (
        <>
          <DataTable label={label} data={shown} unit={unit} axis={axis} heightPx={heightPx} />
          {legend}
        </>
      ) : (
        <ChartPicture
          {...{ ...props, id, label, mark, unit, axis, heightPx, pointer, slots, emphasized, hasZero }}
          data={shown}
          isLoading={data === undefined}
          sentence={sentenceOf(visibleText(label), shown, mark, unit)}
          onZoom={zoom}
        >
          {legend}
        </ChartPicture>
      )}
      <p className="sr-only" aria-live="polite">
        {spoken}
      </p>
    </div>
  );
}

const NO_DATA: ChartData = { times: [], series: [] };

function visibleOf({ times, series }: ChartData, hidden: ReadonlySet<string>): ChartData {
  const shown = series.filter(({ label }) => !hidden.has(label));
  return { times, series: shown.length === 0 ? series : shown };
}

/** The signs of events, and the switches of the chart. */
function Switches({
  events,
  isTable,
  onTable,
  children,
}: {
  events: ChartProps["events"] | undefined;
  isTable: boolean;
  onTable: () => void;
  children: ReactNode;
}): ReactNode {
  return (
    <span className="ml-auto flex flex-wrap items-center gap-x-3 self-end">
      {events !== undefined && <EventLegend events={events} />}
      <span className="ch-switches flex">
        {children}
        <Switch isOn={isTable} onClick={onTable} title="The same data as a table (t)">
          Table <kbd aria-hidden="true">t</kbd>
        </Switch>
      </span>
    </span>
  );
}

function Switch({
  isOn,
  onClick,
  title,
  children,
}: {
  isOn: boolean;
  onClick: () => void;
  title: string;
  children: ReactNode;
}): ReactNode {
  return (
    <Button look="quiet" className="h-6 px-1.5 text-s" aria-pressed={isOn} onClick={onClick} title={title}>
      {children}
    </Button>
  );
}

/** Moves the focus from the plot to the table and back, so that `t` works again. */
function useTableFocus(
  root: { readonly current: HTMLElement | null },
  isTable: boolean,
  setIsTable: (isTable: boolean) => void,
): () => void {
  const hadFocus = useRef(false);
  useEffect(() => {
    if (hadFocus.current) root.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
    hadFocus.current = false;
  }, [isTable, root]);
  return () => {
    const active = document.activeElement;
    hadFocus.current = active !== null && !active.matches("button") && root.current?.contains(active) === true;
    setIsTable(!isTable);
  };
}
