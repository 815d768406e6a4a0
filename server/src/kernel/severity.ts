/**
 * The six names of severity. Each has four numbers, starting at 1 (OpenTelemetry, log data model, "Severity Fields").
 */
export const SEVERITY_NAMES = ["trace", "debug", "info", "warn", "error", "fatal"] as const;
export type SeverityName = (typeof SEVERITY_NAMES)[number];

export const SEVERITY_MAX = 24;
const NUMBERS_OF_NAME = 4;

/** Returns the name of a severity number; undefined for any other number. */
export function severityName(severity: number | undefined): SeverityName | undefined {
  if (severity === undefined || !(severity >= 1 && severity <= SEVERITY_MAX)) return undefined;
  return SEVERITY_NAMES[Math.floor((severity - 1) / NUMBERS_OF_NAME)];
}

/** Returns the lowest and the highest number of a name. */
export function severityRange(name: SeverityName): readonly [from: number, to: number] {
  const from = SEVERITY_NAMES.indexOf(name) * NUMBERS_OF_NAME + 1;
  return [from, from + NUMBERS_OF_NAME - 1];
}

/**
 * The spellings of levels by severity number: from syslog, loggers of common languages (full, short and one-letter
 * names), databases, web servers and operating systems.
 */
const WORDS: Readonly<Record<number, string>> = {
  1: "trace trac trce trc t verbose verb vrb v finest finer silly trace5 trace6 trace7 trace8",
  5: "debug debu dbug dbg deb d fine debug5 d1 d2 d3 d4 d5",
  9: "info inf i information informational config log",
  10: "notice note ntc",
  13: "warn warning wrn wrng w",
  17: "error erro err e severe fail failure exception",
  21: "fatal fata ftl f critical crit c panic pani pnc dpanic",
  22: "alert",
  24: "emergency emerg",
};

/** Levels of bunyan and pino. Python's numbers have other meanings, see `severityOfPython`. */
const BUNYAN: Readonly<Record<string, number>> = { 10: 1, 20: 5, 30: 9, 40: 13, 50: 17, 60: 21 };

/** Intermediate levels of Go's slog: `INFO+2`, `DEBUG-4`. One step of slog is one step of OpenTelemetry. */
const SLOG: readonly (readonly [name: string, number: number, from: number, to: number])[] = [
  ["debug", 5, -4, 3],
  ["info", 9, 0, 3],
  ["warn", 13, 0, 3],
  ["error", 17, 0, 7],
];

/**
 * Increase this with every change of the spellings, so that severities from older versions are computed again when they
 * are read.
 */
export const SPELLINGS_VERSION = 2;

/** Every known spelling in lower case, with its severity number. */
export const LEVEL_SPELLINGS: ReadonlyMap<string, number> = spellings();

/** Text around a level in some logs: terminal colours, brackets, colons, spaces. */
const COLOUR = /\u001b\[[0-9;]*m/g; // eslint-disable-line no-control-regex -- it is looked for
const AROUND = /^[^a-z0-9]+|[^a-z0-9]+$/g;

/**
 * Returns the severity number, 1 to 24, of a level; undefined for an unknown word. Only this function decides it: all
 * ingestion and all queries of older rows use `LEVEL_SPELLINGS`.
 */
export function severityOf(level: string): number | undefined {
  const lower = level.toLowerCase();
  return LEVEL_SPELLINGS.get(lower) ?? LEVEL_SPELLINGS.get(lower.replace(COLOUR, "").replace(AROUND, ""));
}

/**
 * Returns the severity of a level number of Python's `logging`, 1 to 59: 10 is DEBUG, 50 is CRITICAL. A number in
 * between counts as the level below it.
 */
export function severityOfPython(number: number): number | undefined {
  return number < 1 ? undefined : [1, 5, 9, 13, 17, 21][Math.floor(number / 10)];
}

function spellings(): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>(Object.entries(BUNYAN));
  for (const name of SEVERITY_NAMES) {
    const [from, to] = severityRange(name);
    for (let number = from + 1; number <= to; number++) numbers.set(`${name}${number - from + 1}`, number);
    numbers.set(`${name}1`, from);
  }
  for (const [name, number, from, to] of SLOG)
    for (let step = from; step <= to; step++)
      if (step !== 0) numbers.set(`${name}${step > 0 ? "+" : ""}${step}`, number + step);
  for (const [number, words] of Object.entries(WORDS))
    for (const word of words.split(" ")) numbers.set(word, Number(number));
  return numbers;
}
