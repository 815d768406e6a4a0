/** A time that has a name below the chart. */
export interface TimeTick {
  readonly atS: number;
  readonly text: string;
  /** Whether it names a day, which is more important than an hour. */
  readonly isDay: boolean;
}

export interface TimeAxis {
  readonly ticks: readonly TimeTick[];
  /** Midnights, Mondays or first days of months, drawn as lines. */
  readonly linesS: readonly number[];
}

const TICK_PX = 60;
const SECOND_TICK_PX = 76;
const FRACTION_TICK_PX = 100;
/** More ticks are noise, also on a wide chart. */
const TICKS_MAX = 9;
const DAY_S = 86_400;
/** The first Monday of 1970 in days. */
const MONDAY = 4;

const STEPS_S = [
  0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 180, 300, 600, 900, 1800, 3600, 10_800,
  21_600, 43_200,
];
const DAYS: readonly (readonly [named: number, lined: number])[] = [
  [1, 1],
  [2, 1],
  [7, 7],
  [14, 7],
];
const MONTHS = [1, 3, 6, 12, 24, 60, 120];

/** Returns round times (UTC) of a range, far enough from each other for a chart of this width. */
export function timeTicks(fromS: number, toS: number, widthPx: number): TimeAxis {
  const spanS = toS - fromS;
  if (!(spanS > 0)) return { ticks: [], linesS: [] };
  const hasRoom = (stepS: number): boolean => {
    const px = stepS < 1 ? FRACTION_TICK_PX : spanS < 120 || stepS < 60 ? SECOND_TICK_PX : TICK_PX;
    return spanS / stepS <= Math.max(1, Math.min(TICKS_MAX, widthPx / px));
  };
  const stepS = STEPS_S.find(hasRoom);
  if (stepS !== undefined) return hourAxis(fromS, toS, stepS);
  const days = DAYS.find(([named]) => hasRoom(named * DAY_S));
  if (days !== undefined) return dayAxis(fromS, toS, days);
  return monthAxis(fromS, toS, MONTHS.find((months) => hasRoom(months * 30 * DAY_S)) ?? 240);
}

function hourAxis(fromS: number, toS: number, stepS: number): TimeAxis {
  const places = multiples(fromS, toS, stepS);
  const linesS = multiples(fromS, toS, DAY_S);
  const withSeconds = stepS < 60;
  const ticks = places.map((atS) => {
    const isDay = atS % DAY_S === 0;
    return { atS, isDay, text: isDay ? dayText(atS, true) : clockText(atS, withSeconds, stepS < 1) };
  });
  return { ticks, linesS };
}

function dayAxis(fromS: number, toS: number, [named, lined]: readonly [number, number]): TimeAxis {
  const linesS = multiples(fromS, toS, lined * DAY_S, lined === 7 ? MONDAY * DAY_S : 0);
  const namedS = multiples(fromS, toS, named * DAY_S, named >= 7 ? MONDAY * DAY_S : 0);
  const ticks = namedS.map((atS, index) => {
    const isFirst = index === 0 || monthOf(atS) !== monthOf(namedS[index - 1] ?? 0);
    return { atS, isDay: true, text: named >= 7 ? weekText(atS) : dayText(atS, isFirst) };
  });
  return { ticks, linesS };
}

function monthAxis(fromS: number, toS: number, months: number): TimeAxis {
  const first = new Date(fromS * 1000);
  const firstMonth = first.getUTCFullYear() * 12 + first.getUTCMonth();
  const starts: { atS: number; month: number }[] = [];
  for (let month = firstMonth; ; month++) {
    const atS = Date.UTC(Math.floor(month / 12), month % 12, 1) / 1000;
    if (atS > toS) break;
    if (atS >= fromS) starts.push({ atS, month });
  }
  const ticks = starts
    .filter(({ month }) => month % months === 0)
    .map(({ atS, month }, index) => ({ atS, isDay: true, text: monthText(atS, index === 0 || month % 12 === 0) }));
  return { ticks, linesS: months >= 12 ? ticks.map(({ atS }) => atS) : starts.map(({ atS }) => atS) };
}

function multiples(fromS: number, toS: number, stepS: number, originS = 0): number[] {
  const first = Math.ceil((fromS - originS) / stepS - 1e-6);
  const last = Math.floor((toS - originS) / stepS + 1e-6);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => {
    const atS = originS + (first + index) * stepS;
    return stepS < 1 ? Math.round(atS * 1000) / 1000 : atS;
  });
}

function clockText(atS: number, withSeconds: boolean, withFraction: boolean): string {
  return new Date(atS * 1000).toISOString().slice(11, withFraction ? 23 : withSeconds ? 19 : 16);
}

const WEEKDAY = new Intl.DateTimeFormat("en", { weekday: "short", timeZone: "UTC" });
const MONTH = new Intl.DateTimeFormat("en", { month: "short", timeZone: "UTC" });

/** `Tue 24 Nov`, or `Tue 24` after another day of the month. */
function dayText(atS: number, withMonth: boolean): string {
  const at = new Date(atS * 1000);
  return `${WEEKDAY.format(at)} ${at.getUTCDate()}${withMonth ? ` ${MONTH.format(at)}` : ""}`;
}

/** `9 Nov`. */
function weekText(atS: number): string {
  const at = new Date(atS * 1000);
  return `${at.getUTCDate()} ${MONTH.format(at)}`;
}

function monthText(atS: number, withYear: boolean): string {
  const at = new Date(atS * 1000);
  return `${MONTH.format(at)}${withYear ? ` ${at.getUTCFullYear()}` : ""}`;
}

function monthOf(atS: number): number {
  return new Date(atS * 1000).getUTCMonth();
}

/** `Mon 23 Nov 20:52 UTC`, with seconds where the step needs them. */
export function momentTitle(atS: number, stepS: number): string {
  const withSeconds = stepS % 60 !== 0 || stepS === 0;
  return `${dayText(atS, true)} ${clockText(atS, withSeconds, stepS > 0 && stepS < 1)} UTC`;
}

/** `09:39:18 to 09:41:52`, with the days if they differ. */
export function rangeTitle(fromS: number, toS: number): string {
  const isOneDay = Math.floor(fromS / DAY_S) === Math.floor(toS / DAY_S);
  const spanS = toS - fromS;
  const text = (atS: number): string => {
    const clock = clockText(atS, spanS < 7200, spanS < 5);
    return isOneDay ? clock : `${weekText(atS)} ${clock}`;
  };
  return `${text(fromS)} to ${text(toS)}`;
}
