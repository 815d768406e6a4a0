import { createContext, useContext, useMemo, useState, useSyncExternalStore, type ReactNode } from "react";
import { slotsOf } from "./colours.ts";
import type { ChartSeries } from "./model.ts";

/** What a person points at, in all charts of a page. */
export interface Pointed {
  readonly at: number | null;
  /** The chart with the pointer, which shows the tooltip. */
  readonly source: string | null;
  /** A marked range, which `Enter` zooms to. */
  readonly range: readonly [from: number, to: number] | null;
}

export interface Pointer {
  readonly get: () => Pointed;
  readonly set: (change: Partial<Pointed>) => void;
  readonly subscribe: (listener: () => void) => () => void;
}

interface Group {
  readonly pointer: Pointer;
  readonly slots: Map<string, number>;
}

const GroupContext = createContext<Group | null>(null);

/** The charts inside share the pointer and the marked range, and a name has one colour in all of them. */
export function ChartGroup({ children }: { children: ReactNode }): ReactNode {
  const [group] = useState(makeGroup);
  return <GroupContext value={group}>{children}</GroupContext>;
}

function makeGroup(): Group {
  return { pointer: makePointer(), slots: new Map() };
}

function makePointer(): Pointer {
  let pointed: Pointed = { at: null, source: null, range: null };
  const listeners = new Set<() => void>();
  return {
    get: () => pointed,
    set: (change) => {
      pointed = { ...pointed, ...change };
      for (const listener of listeners) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Returns the pointer of the page's charts, or a separate one for a chart with another axis or without a group. */
export function usePointer(isShared: boolean): Pointer {
  const group = useContext(GroupContext);
  const [own] = useState(makePointer);
  return isShared && group !== null ? group.pointer : own;
}

export function usePointed(pointer: Pointer): Pointed {
  return useSyncExternalStore(pointer.subscribe, pointer.get);
}

/** Returns the colour slot of each series. The group remembers the slots, so a name keeps its colour on the page. */
export function useSlots(series: readonly ChartSeries[]): ReadonlyMap<string, number> {
  const group = useContext(GroupContext);
  const names = series.filter((each) => !isGrey(each) && each.level === undefined).map(({ label }) => label);
  const key = JSON.stringify(names);
  return useMemo(() => {
    const slots = slotsOf(JSON.parse(key) as string[], group?.slots ?? new Map());
    for (const [name, slot] of slots) if (group?.slots.has(name) === false) group.slots.set(name, slot);
    return slots;
  }, [key, group]);
}

export function isGrey({ isRest, isBefore }: ChartSeries): boolean {
  return isRest === true || isBefore === true;
}
