import { useRef, type KeyboardEvent } from "react";
import type { Pointer } from "./group.tsx";
import { nearestIndex, type ChartData } from "./model.ts";

interface Keys {
  id: string;
  data: ChartData;
  pointer: Pointer;
  canZoom: boolean;
  onZoom: () => void;
  onTable: () => void;
  onMoved: (index: number) => void;
  /** Where a bar ends after its start; 0 for points. */
  stepS: number;
}

const JUMP_WITHIN_MS = 1500;

/**
 * Handles the keys of a chart: arrows move the pointer, with Shift they mark a range, Enter zooms to it, Escape clears
 * it. `t` shows the table, but not in the shortcut `g t`.
 */
export function useChartKeys(keys: Keys): (event: KeyboardEvent) => void {
  const jumpedAtMs = useRef(-Infinity);
  return (event) => {
    if (event.metaKey || event.ctrlKey || event.altKey) return;
    if (event.key === "g") jumpedAtMs.current = performance.now();
    if (event.key === "t" && performance.now() - jumpedAtMs.current > JUMP_WITHIN_MS) {
      event.preventDefault();
      keys.onTable();
    } else if (!(event.target as HTMLElement).matches("button,table *") && move(event, keys)) event.preventDefault();
  };
}

function move(event: KeyboardEvent, { id, data, pointer, canZoom, onZoom, onMoved, stepS }: Keys): boolean {
  const { at, range } = pointer.get();
  if (event.key === "Enter" && range !== null && canZoom) {
    onZoom();
    return true;
  }
  if (event.key === "Escape" && (range !== null || at !== null)) {
    pointer.set({ at: null, range: null });
    return true;
  }
  const step = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
  const last = data.times.length - 1;
  if (step === undefined || last < 0) return false;
  const before = at === null ? null : nearestIndex(data.times, at);
  const start = before ?? (step < 0 ? last + 1 : -1);
  const index = Math.max(0, Math.min(last, start + step));
  const to = data.times[index] ?? 0;
  const marked = rangeTo(range, data.times[before ?? index] ?? to, to, stepS);
  pointer.set({ at: to, source: id, range: event.shiftKey && canZoom ? marked : null });
  onMoved(index);
  return true;
}

/** Extends a marked range to a point, with the whole bars at both ends. The range keeps the end where it began. */
function rangeTo(
  range: readonly [number, number] | null,
  from: number,
  to: number,
  stepS: number,
): readonly [number, number] {
  const anchor = range === null ? from : range[0] > range[1] ? range[0] - stepS : range[0];
  return to >= anchor ? [anchor, to + stepS] : [anchor + stepS, to];
}
