import { monthOf, timestampOf, timestampOfEpoch, type Civil, type TimeContext } from "./civil.ts";

/** The parts of a time, by the names of the groups. */
export type Parts = Readonly<Record<string, string | undefined>>;

/** A number of ten digits before the year 2000 is not a time: no logger wrote it. */
const EPOCH_FROM_S = 946_684_800;
const EPOCH_TO_S = 4_102_444_800;

/** Reads a date with its year. The month is a number or a name. */
export function dated(parts: Parts, context: TimeContext): string | null {
  return atDate(parts, context, { year: yearOf(parts["y"] ?? ""), month: monthIn(parts), day: Number(parts["d"]) });
}

/** Reads a date with or without its year. */
export function maybeDated(parts: Parts, context: TimeContext): string | null {
  const [month, day] = [monthIn(parts), Number(parts["d"])];
  const written = parts["y"] ?? parts["y2"];
  const year = written === undefined ? context.yearOf(month, day) : yearOf(written);
  return atDate(parts, context, { year, month, day });
}

/** Reads two numbers that may each be the month. The first one is, unless it is too large. */
export function monthThenDay(parts: Parts, context: TimeContext): string | null {
  const [a, b] = [Number(parts["a"]), Number(parts["b"])];
  return twoNumbers(parts, context, a <= 12 ? [a, b] : [b, a]);
}

/** Like `monthThenDay`, for forms that usually begin with the day. */
export function dayThenMonth(parts: Parts, context: TimeContext): string | null {
  const [a, b] = [Number(parts["a"]), Number(parts["b"])];
  return twoNumbers(parts, context, b <= 12 ? [b, a] : [a, b]);
}

/** Reads `17/06/09` as year, month and day, as log4j 1 writes it. If that is not a valid date: month, day and year. */
export function threePairs(parts: Parts, context: TimeContext): string | null {
  const [a, b, c] = [Number(parts["a"]), Number(parts["b"]), Number(parts["c"])];
  if (b <= 12) return atDate(parts, context, { year: 2000 + a, month: b, day: c });
  return atDate(parts, context, { year: 2000 + c, month: a, day: b });
}

/** Reads the day of a year, without the year. */
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

/** Reads a time without a date. */
export function timeOfDay(parts: Parts, context: TimeContext): string | null {
  const hour = hourOf(parts);
  if (hour === null) return null;
  const seconds = (hour * 60 + Number(parts["mi"])) * 60 + Number(parts["s"] ?? "0");
  return atDate(parts, context, context.dayOf(seconds * 1000));
}

/** Reads seconds to nanoseconds since 1970. */
export function sinceEpoch(parts: Parts): string | null {
  const whole = parts["whole"] ?? "";
  const seconds = Number(whole.slice(0, 10));
  if (seconds < EPOCH_FROM_S || seconds > EPOCH_TO_S) return null;
  return timestampOfEpoch(whole, parts["f"] ?? "");
}

/** Reads years of two digits as POSIX does. */
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

/** With AM or PM, 12 is the hour before 1. Some programs write hours up to 23 together with AM or PM. */
function hourOf(parts: Parts): number | null {
  const hour = Number(parts["h"] ?? "0");
  const half = parts["half"]?.charAt(0).toLowerCase();
  if (half === undefined || (hour > 12 && half === "p")) return hour;
  if (hour < 1 || hour > 12) return null;
  return (hour % 12) + (half === "p" ? 12 : 0);
}

/** After a colon come milliseconds. Some programs omit their leading zeros: `8:05:1:47`. */
function fractionOf(parts: Parts): string {
  const digits = parts["f"] ?? "";
  return parts["point"] === ":" ? digits.padStart(3, "0") : digits;
}

export function monthIn(parts: Parts): number {
  return parts["mon"] === undefined ? Number(parts["mo"]) : monthOf(parts["mon"]);
}
