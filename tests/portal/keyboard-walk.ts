/** Walks through all visible elements by Tab, and returns the faults. */
import type { Keys, Stop, Usable } from "./keys.ts";

const STOPS_MAX = 500;
/** Controls of one row may be this far out of line, in CSS pixels. */
const LINE = 12;

/**
 * Returns visible elements that no key reaches, invisible focus, places where Tab does not continue, and places where
 * it moves up the page. Arrow keys move within one widget, and Tab must reach one part of it.
 */
export async function walk(keys: Keys): Promise<readonly string[]> {
  const wanted = await keys.survey();
  const { stops, trap } = await tabThrough(keys);
  const found: string[] = [];
  if (stops.length >= STOPS_MAX) found.push(`Tab continues for more than ${STOPS_MAX} stops`);
  if (trap !== null) found.push(`Tab leads back to ${await keys.nameOf(trap)}, and not on`);
  let before: Stop | null = null;
  for (const stop of stops) {
    if (stop !== null) {
      const faults = [
        stop.ring ? null : "the focus is not seen on",
        stop.hit ? null : "covered while it has the focus:",
        stop.inScope ? null : "Tab leaves the dialog, to",
        before !== null && goesUp(before, stop) ? `Tab goes up from ${await keys.nameOf(before.id)} to` : null,
      ];
      for (const fault of faults) if (fault !== null) found.push(`${fault} ${await keys.nameOf(stop.id)}`);
    }
    before = stop;
  }
  found.push(...(await unreached(keys, wanted, stops)));
  return [...new Set(found)];
}

interface Way {
  /** Null is the end of the page, from which Tab starts again. */
  readonly stops: readonly (Stop | null)[];
  readonly trap: number | null;
}

/** Walks from the focus past the end of the page, and around to the start. */
async function tabThrough(keys: Keys): Promise<Way> {
  const stops: (Stop | null)[] = [];
  const met = new Set<number>();
  let first: number | null = null;
  for (let ends = 0; stops.length < STOPS_MAX && ends < 3;) {
    const stop = await keys.tab();
    if (stop === null) ends++;
    else if (stop.id === first) break;
    else if (met.has(stop.id)) return { stops, trap: stop.id };
    else met.add(stop.id);
    first ??= stop?.id ?? null;
    stops.push(stop);
  }
  return { stops, trap: null };
}

/** Returns whether the stop is further up the page, but not in a column further right. */
function goesUp(before: Stop, stop: Stop): boolean {
  if (before.region !== stop.region || before.composite !== stop.composite) return false;
  return stop.place.bottom < before.place.top + LINE && stop.place.left < before.place.right - LINE;
}

async function unreached(keys: Keys, wanted: readonly Usable[], stops: Way["stops"]): Promise<readonly string[]> {
  const reached = new Set(stops.map((stop) => stop?.id));
  const widgets = new Set(stops.map((stop) => stop?.composite));
  const missed = wanted.filter(
    ({ id, composite }) => !reached.has(id) && (composite === null || !widgets.has(composite)),
  );
  const left = missed.length === 0 ? [] : await keys.remaining(missed);
  return left.map((what) => `no key leads to ${what}`);
}
