/** A time zone: how far its local time is ahead of UTC. */
export interface Zone {
  /**
   * Returns the offset in milliseconds at a local time, given as if it were UTC. In the hour that the end of summer
   * time repeats, it is the later offset.
   */
  offsetMs(localMs: number): number;
}

const MINUTE_MS = 60_000;
/** Offsets change only at quarters of an hour. */
const CACHE_STEP_MS = 15 * MINUTE_MS;

export const UTC: Zone = { offsetMs: () => 0 };

/** Reads `UTC`, `+02:00` or a name of the IANA database such as `Europe/Berlin`; null for any other text. */
export function zoneOf(text: string): Zone | null {
  if (/^(?:utc|gmt|z)$/i.test(text)) return UTC;
  const offsetMs = /^[+-]/.test(text) ? fixedOffsetMs(text) : null;
  if (offsetMs !== null) return { offsetMs: () => offsetMs };
  try {
    return namedZone(new Intl.DateTimeFormat("en-US", { ...PARTS, timeZone: text }));
  } catch {
    return null;
  }
}

/** Names of zones with one fixed offset that loggers write. RFC 5322 section 4.3 defines the American ones. */
const NAMED_HOURS: Readonly<Record<string, number>> = {
  Z: 0,
  UTC: 0,
  GMT: 0,
  WET: 0,
  WEST: 1,
  CET: 1,
  CEST: 2,
  EET: 2,
  EEST: 3,
  MSK: 3,
  JST: 9,
  KST: 9,
  EST: -5,
  EDT: -4,
  CST: -6,
  CDT: -5,
  MST: -7,
  MDT: -6,
  PST: -8,
  PDT: -7,
};

/** Source of an expression for the names of zones that `fixedOffsetMs` knows, except `Z`. */
export const ZONE_NAME = `(?:${Object.keys(NAMED_HOURS)
  .filter((name) => name !== "Z")
  .toSorted((a, b) => b.length - a.length)
  .join("|")})`;

/** Returns the milliseconds of `Z`, `UTC`, `CET`, `+0100`, `-07:00`, `+02`; null for anything else. */
export function fixedOffsetMs(text: string): number | null {
  const hours = NAMED_HOURS[text.toUpperCase()];
  if (hours !== undefined) return hours * 60 * MINUTE_MS;
  const match = /^([+-])(\d{2}):?([0-5]\d)?$/.exec(text);
  if (match === null || Number(match[2]) > 18) return null;
  const minutes = Number(match[2]) * 60 + Number(match[3] ?? "0");
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
