/** A time zone, as far as log lines need it: how far local time is ahead of UTC. */
export interface Zone {
  /** Offset in milliseconds at a local time, given as if it were UTC. In the hour that a change of clocks repeats: the later offset. */
  offsetMs(localMs: number): number;
}

const MINUTE_MS = 60_000;
/** Offsets change on quarters of an hour at the finest. */
const CACHE_STEP_MS = 15 * MINUTE_MS;

export const UTC: Zone = { offsetMs: () => 0 };

/** Reads `UTC`, `+02:00` or a name of the IANA data base such as `Europe/Berlin`; null when there is no such zone. */
export function zoneOf(text: string): Zone | null {
  if (/^(?:utc|gmt|z)$/i.test(text)) return UTC;
  const offsetMs = fixedOffsetMs(text);
  if (offsetMs !== null) return { offsetMs: () => offsetMs };
  try {
    return namedZone(new Intl.DateTimeFormat("en-US", { ...PARTS, timeZone: text }));
  } catch {
    return null;
  }
}

/** Milliseconds of `Z`, `UTC`, `+0100`, `-07:00`; null for anything else. */
export function fixedOffsetMs(text: string): number | null {
  if (/^(?:z|utc|gmt)$/i.test(text)) return 0;
  const match = /^([+-])(\d{2}):?(\d{2})$/.exec(text);
  if (match === null) return null;
  const minutes = Number(match[2]) * 60 + Number(match[3]);
  return (match[1] === "-" ? -1 : 1) * minutes * MINUTE_MS;
}

const PARTS: Intl.DateTimeFormatOptions = {
  hourCycle: "h23",
  year: "numeric",
  month: "numeric",
  day: "numeric",
  hour: "numeric",
  minute: "numeric",
  second: "numeric",
};

function namedZone(format: Intl.DateTimeFormat): Zone {
  const known = new Map<number, number>();
  const at = (utcMs: number): number => {
    const part = Object.fromEntries(format.formatToParts(utcMs).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
    return Date.UTC(year, month - 1, day, hour, minute, second) - utcMs;
  };
  return {
    offsetMs: (localMs) => {
      const step = Math.floor(localMs / CACHE_STEP_MS) * CACHE_STEP_MS;
      const cached = known.get(step);
      if (cached !== undefined) return cached;
      const offset = at(step - at(step));
      known.set(step, offset);
      return offset;
    },
  };
}
