import type { ReactNode } from "react";
import { visibleText } from "../foreign.ts";
import { axisTitle, type ChartAxis } from "./axis.ts";
import { colourOf } from "./colours.ts";
import { usePointed, type Pointer } from "./group.tsx";
import { nearestIndex, type ChartData, type ChartMark, type ChartUnit } from "./model.ts";
import { isBarred, type Scales } from "./scales.ts";
import { rangeTitle } from "./time-ticks.ts";
import { changeOf, rowsAt, type TipRow } from "./tip-rows.ts";
import { valueText } from "./units.ts";

interface OverlayProps {
  id: string;
  pointer: Pointer;
  data: ChartData;
  mark: ChartMark;
  axis: ChartAxis;
  unit: ChartUnit;
  scales: Scales;
  slots: ReadonlyMap<string, number>;
  onZoom: (() => void) | undefined;
}

/** What follows the pointer. It is separate from the drawing, which is not drawn again for each movement. */
export function Overlay(props: OverlayProps): ReactNode {
  const { id, pointer, data, scales, mark } = props;
  const { at, source, range } = usePointed(pointer);
  const index = at === null ? null : indexAt(data, scales, mark, at);
  return (
    <>
      {range !== null && <MarkedRange {...props} range={range} isSource={source === id} />}
      {index !== null && <Cursor {...props} index={index} />}
      {index !== null && source === id && <Tip {...props} index={index} />}
    </>
  );
}

/** Returns the point at a moment: the bar that contains it, or the nearest point of a line. Null outside of the data. */
export function indexAt({ times }: ChartData, scales: Scales, mark: ChartMark, at: number): number | null {
  if (at < scales.from || at > scales.to) return null;
  if (!isBarred(mark)) return nearestIndex(times, at);
  const nearest = nearestIndex(times, at - scales.step / 2);
  const start = nearest === null ? undefined : times[nearest];
  return start === undefined || Math.abs(at - start - scales.step / 2) > scales.step * 0.51 ? null : nearest;
}

function Cursor({ data, mark, scales, slots, index }: OverlayProps & { index: number }): ReactNode {
  const at = data.times[index] ?? 0;
  const leftPx = scales.xPx(at);
  if (isBarred(mark))
    return <i className="ch-bar" style={{ left: leftPx, width: Math.max(1, scales.xPx(at + scales.step) - leftPx) }} />;
  return (
    <>
      <i className="ch-cursor" style={{ left: leftPx }} />
      {data.series.map((series) => {
        const value = series.values[index];
        if (value === null || value === undefined) return null;
        const background = `var(${colourOf(series, slots.get(series.label) ?? 0)})`;
        return <i key={series.label} className="ch-dot" style={{ left: leftPx, top: scales.yPx(value), background }} />;
      })}
    </>
  );
}

const ROWS_MAX = 10;
/** The distance of the tooltip from the pointer. */
const BESIDE_PX = 10;

function Tip({ data, mark, axis, unit, scales, slots, index }: OverlayProps & { index: number }): ReactNode {
  const at = data.times[index] ?? 0;
  const centrePx = scales.xPx(isBarred(mark) ? at + scales.step / 2 : at);
  const isLeft = centrePx > scales.widthPx / 2;
  const rows = rowsAt(data, mark, index);
  const change = changeOf(data, index);
  const total = rows.reduce((sum, { value }) => sum + (value ?? 0), 0);
  return (
    <div
      className="ch-tip"
      aria-hidden="true"
      style={isLeft ? { right: scales.widthPx - centrePx + BESIDE_PX } : { left: centrePx + BESIDE_PX }}
    >
      <p>{axisTitle(axis, at, data)}</p>
      {rows.slice(0, ROWS_MAX).map((row) => (
        <Row key={row.series.label} row={row} unit={unit} slot={slots.get(row.series.label) ?? 0} mark={mark} />
      ))}
      {rows.length > ROWS_MAX && <div>{rows.length - ROWS_MAX} more</div>}
      {mark === "stack" && rows.length > 1 && (
        <div>
          <span>total</span>
          <b>{valueText(total, unit)}</b>
        </div>
      )}
      {change !== null && (
        <div>
          <span>change</span>
          <b>{change}</b>
        </div>
      )}
    </div>
  );
}

function Row({ row, unit, slot, mark }: { row: TipRow; unit: ChartUnit; slot: number; mark: ChartMark }): ReactNode {
  return (
    <div>
      {mark !== "heat" && <Swatch series={row.series} slot={slot} isBar={isBarred(mark)} />}
      <span>{visibleText(row.series.label)}</span>
      <b>{valueText(row.value, unit)}</b>
    </div>
  );
}

/** The sign of a series in the legend and the tooltip. */
export function Swatch({ series, slot, isBar }: { series: TipRow["series"]; slot: number; isBar: boolean }): ReactNode {
  const kind = series.isBefore === true ? "before" : isBar ? "bar" : "line";
  const background = kind === "before" ? undefined : `var(${colourOf(series, slot)})`;
  return <i className="ch-swatch" data-kind={kind} style={{ background }} />;
}

function MarkedRange({
  range: [a, b],
  isSource,
  scales,
  axis,
  onZoom,
}: OverlayProps & { range: readonly [number, number]; isSource: boolean }): ReactNode {
  const [from, to] = [Math.max(scales.from, Math.min(a, b)), Math.min(scales.to, Math.max(a, b))];
  if (to <= from) return null;
  const [leftPx, rightPx] = [scales.xPx(from), scales.xPx(to)];
  const isRight = leftPx > scales.widthPx / 2;
  return (
    <>
      <i className="ch-range" style={{ left: leftPx, width: rightPx - leftPx }} />
      {isSource && axis.kind === "time" && (
        <button
          type="button"
          className="ch-tag"
          style={{ top: 4, ...(isRight ? { right: scales.widthPx - rightPx + 4 } : { left: leftPx + 4 }) }}
          title="Show only this range"
          onPointerDown={(event) => event.stopPropagation()}
          onClick={onZoom}
        >
          {rangeTitle(from, to)} ⏎
        </button>
      )}
    </>
  );
}

/** The sentence for screen readers after a movement by key. */
export function spokenAt(props: Pick<OverlayProps, "data" | "mark" | "axis" | "unit">, index: number): string {
  const { data, mark, axis, unit } = props;
  const rows = rowsAt(data, mark, index);
  const texts = rows.slice(0, ROWS_MAX).map(({ series, value }) => `${series.label} ${valueText(value, unit)}`);
  return `${axisTitle(axis, data.times[index] ?? 0, data)}: ${texts.length === 0 ? "no data" : texts.join(", ")}`;
}
