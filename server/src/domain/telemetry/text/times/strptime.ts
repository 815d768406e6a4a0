import { withFraction, type TimeContext } from "./civil.ts";
import { TIME_SEARCH_CHARS, type TimeFinder } from "./find.ts";
import { atDate, monthAndDay, monthIn, timeOfDay, yearOf, type Parts } from "./read.ts";
import { fixedOffsetMs, zoneOf, type Zone } from "./zone.ts";

/** A time format that can't be used; the message says why. */
export class TimeFormatError extends Error {}

const MONTH = "(?<mon>(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6})";
const WEEKDAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6}";

/** The directives of strptime, and Ruby's %L and %N. The groups have the names of the parts of a time. */
const DIRECTIVES: Readonly<Record<string, string>> = {
  Y: "(?<y>\\d{4})",
  y: "(?<y>\\d\\d)",
  m: "(?<mo>[ ]?\\d{1,2})",
  d: "(?<d>[ ]?\\d{1,2})",
  e: "(?<d>[ ]?\\d{1,2})",
  H: "(?<h>[ ]?\\d{1,2})",
  I: "(?<h>[ ]?\\d{1,2})",
  M: "(?<mi>\\d{1,2})",
  S: "(?<s>\\d{1,2})",
  f: "(?<f>\\d{1,9})",
  N: "(?<f>\\d{1,9})",
  L: "(?<f>\\d{3})",
  z: "(?<o>Z|[+-]\\d\\d(?::?[0-5]\\d)?)",
  Z: "(?<zone>[A-Za-z][\\w/+-]{0,40})",
  b: MONTH,
  B: MONTH,
  a: WEEKDAY,
  A: WEEKDAY,
  j: "(?<doy>\\d{1,3})",
  p: "(?<half>[AaPp])\\.?[Mm]\\.?",
  s: "(?<whole>\\d{1,11})",
  "%": "%",
};
/** Abbreviations of several directives. */
const COMPOSED: Readonly<Record<string, string>> = { T: "%H:%M:%S", D: "%m/%d/%y", F: "%Y-%m-%d", R: "%H:%M" };

/**
 * Finds times of a strptime format that begin in the first 80 characters. The context supplies a missing year or date.
 * @throws TimeFormatError
 */
export function createStrptime(format: string, context: TimeContext): TimeFinder {
  const expression = expressionOf(format);
  const read = reader(context);
  return (line) => {
    // No form is longer than this after its beginning.
    const match = expression.exec(line.slice(0, TIME_SEARCH_CHARS + format.length + 200));
    if (match === null || match.index >= TIME_SEARCH_CHARS) return null;
    const timestamp = read(match.groups ?? {});
    return timestamp === null ? null : { start: match.index, end: match.index + match[0].length, timestamp };
  };
}

function expressionOf(format: string): RegExp {
  const long = format.replace(/%([TDFR])/g, (_, letter: string) => COMPOSED[letter] ?? "");
  const names = new Set<string>();
  const source = long.replace(/%(.?)|(\s+)|([\s\S])/g, (_, letter?: string, space?: string, other?: string) => {
    if (space !== undefined) return "\\s+";
    if (letter === undefined) return (other ?? "").replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
    const directive = DIRECTIVES[letter];
    if (directive === undefined) throw new TimeFormatError(unknownDirective(letter, format));
    for (const [, name = ""] of directive.matchAll(/\(\?<(\w+)>/g)) {
      if (names.has(name)) throw new TimeFormatError(`%${letter} repeats an earlier directive`);
      names.add(name);
    }
    return directive;
  });
  checkNames(names);
  return new RegExp(`(?<![\\dA-Za-z])${source}(?!\\d)`);
}

function unknownDirective(letter: string, format: string): string {
  const known = [...Object.keys(DIRECTIVES), ...Object.keys(COMPOSED)].map((name) => `%${name}`).join(" ");
  const what = letter === "" ? `${JSON.stringify(format)} ends in a %` : `%${letter} is not a known directive`;
  return `${what}; the known directives are ${known}`;
}

function checkNames(names: ReadonlySet<string>): void {
  const hasDay = names.has("d");
  const hasMonth = names.has("mo") || names.has("mon");
  if (names.has("whole")) return;
  if (hasDay && !hasMonth) throw new TimeFormatError("it has a day (%d) without a month (%m or %b)");
  if (names.has("y") && !hasMonth && !names.has("doy"))
    throw new TimeFormatError("it has a year without a month or %j");
  if (!hasMonth && !names.has("doy") && !names.has("h"))
    throw new TimeFormatError("it has neither a date nor an hour; a time needs %H, %m and %d, or %s");
}

function reader(context: TimeContext): (parts: Parts) => string | null {
  const zones = new Map<string, Zone | null>();
  const zoned = (name: string): TimeContext | null => {
    const zone = zones.get(name) ?? zoneOf(name) ?? null;
    zones.set(name, zone);
    return zone === null ? null : { ...context, zone };
  };
  return (parts) => {
    const zone = parts["zone"];
    // A name with one fixed offset (CEST, PDT) needs no look-up.
    const offset = zone === undefined || fixedOffsetMs(zone) === null ? parts["o"] : zone;
    const here = zone === undefined || offset !== undefined ? context : zoned(zone);
    return here === null ? null : readParts({ ...parts, o: offset }, here);
  };
}

function readParts(parts: Parts, context: TimeContext): string | null {
  if (parts["whole"] !== undefined) return withFraction(Number(parts["whole"]) * 1000, parts["f"] ?? "");
  const year = parts["y"] === undefined ? undefined : yearOf(parts["y"]);
  if (parts["doy"] !== undefined) {
    const number = Number(parts["doy"]);
    if (number < 1 || number > 366) return null;
    const real = year ?? context.yearOf(...monthAndDay(2000, number));
    const [month, day] = monthAndDay(real, number);
    return atDate(parts, context, { year: real, month, day });
  }
  if (parts["mo"] === undefined && parts["mon"] === undefined) return timeOfDay({ mi: "0", ...parts }, context);
  const [month, day] = [monthIn(parts), Number(parts["d"] ?? "1")];
  return atDate(parts, context, { year: year ?? context.yearOf(month, day), month, day });
}
