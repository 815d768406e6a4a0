import { Fragment, useId, type CSSProperties, type PointerEvent, type ReactNode } from "react";
import { drawnAxis, type ChartAxis } from "./axis.ts";
import type { Pointer } from "./group.tsx";
import { layoutTags, textPx } from "./labels.ts";
import { deploysIn, Lane } from "./lane.tsx";
import { hasValues, type ChartData, type ChartMark, type ChartUnit } from "./model.ts";
import { Overlay } from "./overlay.tsx";
import { PlotSvg } from "./plot.tsx";
import type { ChartProps } from "./props.ts";
import { isBarred, scalesOf, type Scales } from "./scales.ts";
import { ChartState } from "./state.tsx";
import { momentTitle } from "./time-ticks.ts";
import { useWidth } from "./width.ts";

interface PictureProps extends Omit<ChartProps, "data"> {
  id: string;
  data: ChartData;
  mark: ChartMark;
  unit: ChartUnit;
  axis: ChartAxis;
  heightPx: number;
  pointer: Pointer;
  slots: ReadonlyMap<string, number>;
  emphasized: string | null;
  hasZero: boolean;
  isLoading: boolean;
  sentence: string;
  onZoom: () => void;
  /** The legend, below the time axis. */
  children: ReactNode;
}

const NO_EVENTS = [] as const;
const Y_MIN_PX = 42;

/** The lane, the plot and both axes. The texts are HTML, so that they never stretch. */
export function ChartPicture(props: PictureProps): ReactNode {
  const { data, mark, unit, axis, heightPx, range, hasZero, threshold, events = NO_EVENTS, rowTexts } = props;
  const [measured, widthPx] = useWidth();
  const help = useId();
  const also = threshold === undefined ? [] : [threshold.at];
  const scales = scalesOf({ data, mark, unit, widthPx: Math.max(1, widthPx), heightPx, range, hasZero, also });
  const { labels, linesPx } = drawnAxis(axis, scales, isBarred(mark));
  const rows = rowTexts === undefined ? valueRows(scales) : textRows(rowTexts, heightPx);
  const isEmpty = !hasValues(data);
  const yPx = Math.max(Y_MIN_PX, ...rows.map(({ text }) => Math.ceil(textPx(text)) + 10));
  return (
    <figure className="ch" style={{ "--ch-h": `${heightPx}px`, "--ch-y": `${yPx}px` } as CSSProperties}>
      <figcaption className="sr-only">{props.sentence}</figcaption>
      <Lane events={events} scales={scales} />
      <div className="ch-values" aria-hidden="true">
        {!isEmpty &&
          rows.map((row) => (
            <span key={row.yPx} style={{ top: row.yPx }}>
              {row.text}
            </span>
          ))}
      </div>
      <Plot {...props} measured={measured} help={help} scales={scales}>
        {widthPx > 0 && (
          <>
            <PlotSvg
              {...{ data, mark, scales, linesPx }}
              slots={props.slots}
              emphasized={props.emphasized}
              rowsPx={rows.map((row) => row.yPx)}
              threshold={threshold?.at}
            />
            {!isEmpty && <PlacesAndCut {...props} scales={scales} />}
            {!isEmpty && (
              <Overlay {...{ data, mark, unit, axis, scales }} {...props} onZoom={props.onRange && props.onZoom} />
            )}
          </>
        )}
        <ChartState {...props} isEmpty={isEmpty} />
      </Plot>
      <div className="ch-times" aria-hidden="true">
        {widthPx > 0 &&
          labels.map(({ text, leftPx, isDay }) => (
            <span key={leftPx} data-day={isDay || undefined} style={{ left: leftPx }}>
              {text}
            </span>
          ))}
      </div>
      {props.children}
      <span id={help} className="sr-only">
        Arrow keys show values{props.onRange && ", with Shift they mark a range, Enter shows only that range"}; t shows
        the table.
      </span>
    </figure>
  );
}

interface YRow {
  readonly yPx: number;
  readonly text: string;
}

function valueRows({ steps, yPx }: Scales): readonly YRow[] {
  return steps.ticks.map(({ value, text }) => ({ yPx: Math.round(yPx(value) * 10) / 10, text }));
}

const ROW_TEXT_PX = 20;

/** The texts of a heat map's rows, from the lowest: as many as there is room for. An empty text names nothing. */
function textRows(texts: readonly string[], heightPx: number): readonly YRow[] {
  const last = Math.max(1, texts.length - 1);
  const rows: YRow[] = [];
  texts.forEach((text, index) => {
    const yPx = Math.round(heightPx * (1 - index / last));
    if (text !== "" && (rows.at(-1)?.yPx ?? Infinity) - yPx >= ROW_TEXT_PX) rows.push({ yPx, text });
  });
  return rows;
}

/** The part with the pointer and the keyboard. */
function Plot({
  id,
  label,
  data,
  scales,
  pointer,
  onRange,
  measured,
  help,
  children,
}: PictureProps & {
  scales: Scales;
  measured: (element: HTMLElement | null) => void;
  help: string;
  children: ReactNode;
}): ReactNode {
  const atOf = (event: PointerEvent): number => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const share = Math.max(0, Math.min(1, (event.clientX - left) / width));
    return scales.from + share * (scales.to - scales.from);
  };
  const onMove = (event: PointerEvent): void => {
    const at = atOf(event);
    const { range } = pointer.get();
    const isDrag = onRange !== undefined && range !== null && event.buttons === 1;
    pointer.set({ at, source: id, range: isDrag ? [range[0], at] : range });
  };
  const onDown = (event: PointerEvent): void => {
    if (onRange === undefined || event.button !== 0) return;
    const at = atOf(event);
    pointer.set({ at, source: id, range: [at, at] });
    if (event.pointerType === "mouse") event.currentTarget.setPointerCapture(event.pointerId);
  };
  const onUp = (): void => {
    const { range } = pointer.get();
    const isTiny = range !== null && Math.abs(scales.xPx(range[1]) - scales.xPx(range[0])) < DRAG_PX;
    if (isTiny) pointer.set({ range: null });
  };
  return (
    <div
      ref={measured}
      className="ch-plot"
      role="group"
      aria-label={label}
      aria-describedby={help}
      tabIndex={0}
      data-zooms={onRange !== undefined && data.times.length > 0 ? "" : undefined}
      onPointerMove={onMove}
      onPointerDown={onDown}
      onPointerUp={onUp}
      onPointerLeave={() => pointer.get().source === id && pointer.set({ at: null })}
      onBlur={(event) => event.target === event.currentTarget && pointer.set({ at: null })}
    >
      {children}
    </div>
  );
}

const DAY_S = 86_400;

/** The clock alone, if the chart has one day. */
function keptText(keptFromS: number, { from, to }: Scales): string {
  const text = momentTitle(keptFromS, 60).replace(" UTC", "");
  return Math.floor(from / DAY_S) === Math.floor(to / DAY_S) ? text.slice(-5) : text;
}

/** A shorter drag is a click. */
const DRAG_PX = 4;

function PlacesAndCut({
  scales,
  events = NO_EVENTS,
  places = NO_EVENTS,
  threshold,
  keptFromS,
}: PictureProps & { scales: Scales }): ReactNode {
  const cutPx = keptFromS === undefined ? 0 : Math.min(scales.widthPx, scales.xPx(keptFromS));
  return (
    <>
      {deploysIn(events, scales).map(({ atS, text }) => (
        <i key={`${atS} ${text}`} className="ch-mark" style={{ left: scales.xPx(atS) }} />
      ))}
      {layoutTags(
        places.map(({ at, text }) => ({ atPx: scales.xPx(at), text })),
        scales.widthPx,
      ).map(({ atPx, leftPx, row, text }) => (
        <Fragment key={text}>
          <i className="ch-mark" style={{ left: atPx }} />
          <span className="ch-tag" style={{ left: leftPx, top: row * TAG_ROW_PX - 5 }}>
            {text}
          </span>
        </Fragment>
      ))}
      {threshold !== undefined && (
        <span className="ch-tag" data-kind="threshold" style={{ top: scales.yPx(threshold.at) }}>
          {threshold.text}
        </span>
      )}
      {cutPx > 1 && keptFromS !== undefined && (
        <>
          <span className="ch-cut" style={{ left: 0, width: cutPx }} />
          <span className="ch-tag" style={{ left: 4, bottom: 4 }}>
            not kept before {keptText(keptFromS, scales)}
          </span>
        </>
      )}
    </>
  );
}

const TAG_ROW_PX = 20;
