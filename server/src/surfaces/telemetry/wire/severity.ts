/** Words for levels and the severity number that OpenTelemetry's log data model gives them. */
const WORDS: Readonly<Record<string, number>> = {
  trace: 1,
  verbose: 1,
  finest: 1,
  finer: 1,
  debug: 5,
  fine: 5,
  dbg: 5,
  info: 9,
  information: 9,
  informational: 9,
  config: 9,
  log: 9,
  notice: 10,
  warn: 13,
  warning: 13,
  error: 17,
  err: 17,
  severe: 17,
  fatal: 21,
  critical: 21,
  crit: 21,
  panic: 21,
  alert: 22,
  emergency: 24,
  emerg: 24,
};

/** The words, in lower case. */
export const LEVEL_WORDS: readonly string[] = Object.keys(WORDS);

const STEPS: Readonly<Record<string, number>> = { trace: 1, debug: 5, info: 9, warn: 13, error: 17, fatal: 21 };

const NUMBERS = table();

/** The severity number, 1 to 24, of a level as sent, or undefined for a word that nobody agreed on. */
export function severityOf(level: string): number | undefined {
  return NUMBERS.get(level) ?? NUMBERS.get(level.toLowerCase());
}

/** The words in the usual cases, and the short names `TRACE2` to `FATAL4` of the data model. */
function table(): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>();
  for (const [word, number] of Object.entries(WORDS)) {
    numbers.set(word, number);
    numbers.set(word.toUpperCase(), number);
  }
  for (const [word, first] of Object.entries(STEPS)) {
    for (let step = 1; step <= 4; step++) numbers.set(`${word}${step}`, first + step - 1);
  }
  return numbers;
}
