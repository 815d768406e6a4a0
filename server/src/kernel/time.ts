/** The one place that reads the clock. Everything else is handed a `Clock`. */
export interface Clock {
  /** Milliseconds since the Unix epoch, UTC. */
  nowMs(): number;
}

export const systemClock: Clock = { nowMs: () => Date.now() };

/** Renders milliseconds since the epoch as ISO 8601 UTC with milliseconds, for example `2026-11-20T08:00:00.000Z`. */
export function isoFromMs(ms: number): string {
  return new Date(ms).toISOString();
}

/** The same from microseconds; what is finer than a millisecond is cut off. */
export function isoFromUs(us: number): string {
  return isoFromMs(Math.floor(us / 1000));
}

/**
 * Milliseconds since the epoch of an RFC 3339 date-time that was checked to be one. A leap second, which is one and which
 * JavaScript does not know, is the second that follows it.
 */
export function msFromIso(text: string): number {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? Date.parse(text.replace(/:60(?=[.Zz+-])/, ":59")) + 1000 : ms;
}

/** The same in microseconds; what is finer is cut off. */
export function usFromIso(text: string): number {
  const fraction = /\.([0-9]+)/.exec(text)?.[1] ?? "";
  return msFromIso(text) * 1000 + Number(fraction.padEnd(6, "0").slice(3, 6));
}
