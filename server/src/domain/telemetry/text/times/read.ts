import { monthOf, timestampOf, timestampOfEpoch, type Civil, type TimeContext } from "./civil.ts";

/** The parts of a time, by the names of the groups that found them. */
export type Parts = Readonly<Record<string, string | undefined>>;

/** Numbers of ten digits that are further away are other things: no logger wrote before 2000. */
const EPOCH_FROM_S = 946_684_800;
const EPOCH_TO_S = 4_102_444_800;

/** A date with its year; the month is a number or a name. */
export function dated(parts: Parts, context: TimeContext): string | null {
  return atDate(parts, context, { year: yearOf(parts["y"] ?? ""), month: monthIn(parts), day: Number(parts["d"]) });
}

/** A date with or without its year. */
export function maybeDated(parts: Parts, context: TimeContext): string | null {
  const [month, day] = [monthIn(parts), Number(parts["d"])];
  const written = parts["y"] ?? parts["y2"];
  const year = written === undefined ? context.yearOf(month, day) : yearOf(written);
  return atDate(parts, context, { year, month, day });
}

/** Two numbers of which either may be the month: the first, unless it can't be one. */
export function monthThenDay(parts: Parts, context: TimeContext): string | null {
  const [a, b] = [Number(parts["a"]), Number(parts["b"])];
  return twoNumbers(parts, context, a <= 12 ? [a, b] : [b, a]);
}

/** The same where the day usually comes first. */
export function dayThenMonth(parts: Parts, context: TimeContext): string | null {
  const [a, b] = [Number(parts["a"]), Number(parts["b"])];
  return twoNumbers(parts, context, b <= 12 ? [b, a] : [a, b]);
}

/** `17/06/09` is year, month and day, as log4j 1 writes it; where that is no day, month, day and year. */
export function threePairs(parts: Parts, context: TimeContext): string | null {
  const [a, b, c] = [Number(parts["a"]), Number(parts["b"]), Number(parts["c"])];
  if (b <= 12) return atDate(parts, context, { year: 2000 + a, month: b, day: c });
  return atDate(parts, context, { year: 2000 + c, month: a, day: b });
}

/** The day of the year, without a year. */
export function dayOfYear(parts: Parts, context: TimeContext): string | null {
  const number = Number(parts["doy"]);
  if (number < 1 || number > 366) return null;
  const year = context.yearOf(...monthAndDay(2000, number));
  const [month, day] = monthAndDay(year, number);
  return atDate(parts, context, { year, month, day });
}

export function monthAndDay(year: number, dayNumber: number): [month: number, day: number] {
  const date = new Date(Date.UTC(year, 0, dayNumber));
  return [date.getUTCMonth() + 1, date.getUTCDate()];
}

/** A time without a date. */
export function timeOfDay(parts: Parts, context: TimeContext): string | null {
  const hour = hourOf(parts);
  if (hour === null) return null;
  const seconds = (hour * 60 + Number(parts["mi"])) * 60 + Number(parts["s"] ?? "0");
  return atDate(parts, context, context.dayOf(seconds * 1000));
}

/** Seconds to nanoseconds since 1970. */
export function sinceEpoch(parts: Parts): string | null {
  const whole = parts["whole"] ?? "";
  const seconds = Number(whole.slice(0, 10));
  if (seconds < EPOCH_FROM_S || seconds > EPOCH_TO_S) return null;
  return timestampOfEpoch(whole, parts["f"] ?? "");
}

/** Years of two digits as POSIX reads them. */
export function yearOf(text: string): number {
  const year = Number(text);
  return text.length > 2 ? year : year + (year < 69 ? 2000 : 1900);
}

function twoNumbers(parts: Parts, context: TimeContext, [month, day]: readonly [number, number]): string | null {
  const year = parts["y"] === undefined ? context.yearOf(month, day) : yearOf(parts["y"]);
  return atDate(parts, context, { year, month, day });
}

export function atDate(parts: Parts, context: TimeContext, date: Pick<Civil, "year" | "month" | "day">): string | null {
  const hour = hourOf(parts);
  if (hour === null) return null;
  const time = {
    hour,
    minute: Number(parts["mi"] ?? "0"),
    second: Number(parts["s"] ?? "0"),
    fraction: fractionOf(parts),
    offset: parts["o"],
  };
  return timestampOf({ ...date, ...time }, context.zone);
}

/** With AM or PM, 12 is the hour before 1; some write hours up to 23 and the half as well. */
function hourOf(parts: Parts): number | null {
  const hour = Number(parts["h"] ?? "0");
  const half = parts["half"]?.charAt(0).toLowerCase();
  if (half === undefined || (hour > 12 && half === "p")) return hour;
  if (hour < 1 || hour > 12) return null;
  return (hour % 12) + (half === "p" ? 12 : 0);
}

/** After a colon come milliseconds, which some programs write without their zeros: `8:05:1:47`. */
function fractionOf(parts: Parts): string {
  const digits = parts["f"] ?? "";
  return parts["point"] === ":" ? digits.padStart(3, "0") : digits;
}

export function monthIn(parts: Parts): number {
  return parts["mon"] === undefined ? Number(parts["mo"]) : monthOf(parts["mon"]);
}
