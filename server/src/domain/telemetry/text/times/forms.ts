import type { TimeContext } from "./civil.ts";
import {
  dated,
  dayOfYear,
  dayThenMonth,
  maybeDated,
  monthThenDay,
  sinceEpoch,
  threePairs,
  timeOfDay,
  type Parts,
} from "./read.ts";
import { ZONE_NAME } from "./zone.ts";

/** A form of a time. Its expression is tried at one position of a line. Its groups are the parts of the time. */
export interface TimeForm {
  /**
   * Set if other texts may look like this form. The form counts only before the message, and a full date is preferred
   * to it.
   */
  readonly weak?: "clock" | "number" | undefined;
  readonly expression: RegExp;
  read(parts: Parts, context: TimeContext): string | null;
}

interface Row {
  readonly examples: string;
  /**
   * The possible numbers of digits at its beginning, and the characters that may follow them. No digits: it begins with
   * the name of a month.
   */
  readonly digits: readonly number[];
  readonly after?: string;
  readonly expression: string;
  readonly read: TimeForm["read"];
  readonly weak?: TimeForm["weak"];
}

const MONTH = "(?<mon>(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6})\\.?";
const FRACTION = "(?:(?<point>[.,:])(?<f>\\d{1,9})\\d{0,9})?";
/** Java writes a narrow space before AM and PM. */
const HALF = "(?:[ \\u202f]?(?<half>[AaPp])\\.?[Mm]\\b\\.?)?";
const ZONE = `(?<o>Z\\b| ?[+-]\\d\\d:?[0-5]\\d(?!\\d)|[+-]\\d\\d(?![\\d:])| (?:Z|${ZONE_NAME})\\b|UTC|GMT)?`;
const TIME = `(?<h>\\d{1,2}):(?<mi>\\d\\d):(?<s>\\d\\d)${FRACTION}${HALF}${ZONE}`;
const GAP = "(?:[Tt_-]|,? {1,3}|\\t)";

const ROWS: readonly Row[] = [
  {
    examples: "2026-11-20T08:00:00.123+01:00, 2026/11/20 08:00:00, 2026-11-20-08.00.00.123, 2026-11-20 08:00",
    digits: [4],
    after: "-/.",
    expression: `(?<y>\\d{4})(?<sep>[-/.])(?<mo>\\d{1,2})\\k<sep>(?<d>\\d{1,2})${GAP}(?<h>\\d{1,2})[:.](?<mi>\\d\\d)(?:[:.](?<s>\\d\\d)${FRACTION})?${HALF}${ZONE}`,
    read: dated,
  },
  {
    examples: "2026-Nov-20 08:00:00, 2026 Nov 20 08:00:00",
    digits: [4],
    after: "-/ ",
    expression: `(?<y>\\d{4})(?<sep>[-/ ])${MONTH}\\k<sep> ?(?<d>\\d{1,2})[: T]${TIME}`,
    read: dated,
  },
  {
    examples: "20/Nov/2026:08:00:00 +0100, 20-Nov-2026 08:00:00.123, 20 Nov 2026 08:00:00, 20 Nov 08:00:00",
    digits: [1, 2],
    after: "-/ ",
    expression: `(?<d>\\d{1,2})(?<sep>[-/ ])${MONTH}(?:\\k<sep>(?<y>\\d{4}|\\d\\d(?=[ T]\\d\\d:)))?(?:[:T]|,? {1,2})${TIME}`,
    read: maybeDated,
  },
  {
    examples: "Nov 20 08:00:00.123, Nov 20 08:00:00 2026, Nov 20, 2026 8:00:00 AM",
    digits: [0],
    expression: `${MONTH} {1,2}(?<d>\\d{1,2}),? (?:(?<y>\\d{4}),? )?(?:at )?${TIME}(?: (?<y2>(?:19|20)\\d\\d)(?=[\\s\\]>,]|$))?`,
    read: maybeDated,
  },
  {
    examples: "11/20/2026 8:00:00 AM; 20/11/2026 08:00:00, since 20 is not a month",
    digits: [1, 2],
    after: "/",
    expression: `(?<a>\\d{1,2})/(?<b>\\d{1,2})/(?<y>\\d{4})${GAP}${TIME}`,
    read: monthThenDay,
  },
  {
    examples: "20.11.2026 08:00:00, 20-11-2026 08:00:00; 11-20-2026 08:00:00, since 20 is not a month",
    digits: [1, 2],
    after: "-.",
    expression: `(?<a>\\d{1,2})(?<sep>[-.])(?<b>\\d{1,2})\\k<sep>(?<y>\\d{4})${GAP}${TIME}`,
    read: dayThenMonth,
  },
  {
    examples: "26/11/20 08:00:00; 11/20/26 8:00:00, since 20 is not a month",
    digits: [2],
    after: "/",
    expression: `(?<a>\\d\\d)/(?<b>\\d\\d)/(?<c>\\d\\d),?[ T]${TIME}`,
    read: threePairs,
  },
  {
    examples: "11-20 08:00:00.123, 11/20 08:00:00, 11.20 08:00:00",
    digits: [2],
    after: "-/.",
    expression: `(?<a>\\d\\d)[-/.](?<b>\\d\\d) ${TIME}`,
    read: monthThenDay,
  },
  {
    examples: "261120 080000, 261120  8:00:00",
    digits: [6],
    after: " ",
    expression: "(?<y>\\d\\d)(?<mo>\\d\\d)(?<d>\\d\\d) {1,2}(?<h>\\d{1,2}):?(?<mi>\\d\\d):?(?<s>\\d\\d)(?!\\d)",
    read: dated,
  },
  {
    examples: "20261120-8:00:00:123, 20261120 08:00:00",
    digits: [8],
    after: "-T _",
    expression: `(?<y>\\d{4})(?<mo>\\d\\d)(?<d>\\d\\d)[-T _](?<h>\\d{1,2}):(?<mi>\\d{1,2}):(?<s>\\d{1,2})${FRACTION}${ZONE}`,
    read: dated,
  },
  {
    examples: "20261120T080000.123Z, 20261120 080000",
    digits: [8],
    after: "-T _",
    expression: `(?<y>\\d{4})(?<mo>\\d\\d)(?<d>\\d\\d)[-T _](?<h>\\d\\d)(?<mi>\\d\\d)(?<s>\\d\\d)(?!\\d)${FRACTION}${ZONE}`,
    read: dated,
  },
  {
    examples: "20261120080000",
    digits: [14],
    expression: "(?<y>(?:19|20)\\d\\d)(?<mo>\\d\\d)(?<d>\\d\\d)(?<h>\\d\\d)(?<mi>\\d\\d)(?<s>\\d\\d)(?!\\d)",
    read: dated,
  },
  {
    examples: "324/080000 of HAProxy: the day of the year",
    digits: [3],
    after: "/",
    expression: "(?<doy>\\d{3})/(?<h>\\d\\d)(?<mi>\\d\\d)(?<s>\\d\\d)(?!\\d)",
    read: dayOfYear,
  },
  {
    examples: "1700000000, 1700000000.123, 1700000000123, and on to nanoseconds",
    digits: [10, 13, 16, 19],
    expression: "(?<whole>\\d{10}(?:\\d{3}|\\d{6}|\\d{9})?)(?:\\.(?<f>\\d{1,9})\\d{0,9})?(?![\\w.-])",
    read: sinceEpoch,
    weak: "number",
  },
  {
    examples: "08:00:00.123, 8:00:00 PM",
    digits: [1, 2],
    after: ":",
    expression: `${TIME}(?!:?[\\dA-Fa-f]{2}\\b|\\w)`,
    read: timeOfDay,
    weak: "clock",
  },
  {
    examples: "8:00PM",
    digits: [1, 2],
    after: ":",
    expression: "(?<h>\\d{1,2}):(?<mi>\\d\\d) ?(?<half>[AP])M\\b",
    read: timeOfDay,
    weak: "clock",
  },
];

/** A number with at least this many digits may be a Unix time. The character after it does not matter. */
const ALONE_FROM = 10;

const BY_BEGINNING = byBeginning();

/**
 * Returns the forms that may begin with `digits` digits, followed by `after`. No digits: forms that begin with a
 * capital letter.
 */
export function formsAt(digits: number, after: string): readonly TimeForm[] {
  return BY_BEGINNING.get(digits === 0 || digits >= ALONE_FROM ? String(digits) : digits + after) ?? [];
}

function byBeginning(): ReadonlyMap<string, readonly TimeForm[]> {
  const forms = new Map<string, TimeForm[]>();
  for (const { digits, after, expression, read, weak } of ROWS) {
    const form: TimeForm = { weak, expression: new RegExp(expression, "y"), read };
    for (const count of digits)
      for (const character of after ?? [""]) {
        const beginning = count + character;
        forms.set(beginning, [...(forms.get(beginning) ?? []), form]);
      }
  }
  return forms;
}
