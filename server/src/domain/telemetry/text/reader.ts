import { isContinuation } from "./continuation.ts";
import { UNSPECIFIED, type ParsedLine, type TextEntry } from "./entry.ts";
import { createTextParser, createTimedParser, type Parser } from "./parse.ts";
import { createPatternParser, PatternError } from "./pattern.ts";
import {
  createStrptime,
  createTimeContext,
  findTime,
  TimeFormatError,
  UTC,
  type TimeContextOptions,
  type TimeFinder,
} from "./times/index.ts";

/** The treatment of a line without a time that does not look like a continuation. */
export type OnNoTime = "now" | "previous" | "reject";

export interface TextOptions extends TimeContextOptions {
  /** A regular expression with named groups, see `createPatternParser`. */
  readonly pattern?: string | undefined;
  /** A strptime format. Without it, the reader searches for every known form. */
  readonly timeFormat?: string | undefined;
  /**
   * Without it, such a line is joined to the one before. It is left out when there is none, or when it begins with a
   * level.
   */
  readonly onNoTime?: OnNoTime | undefined;
  /** The time of arrival, for `onNoTime: "now"`. */
  readonly nowIso: () => string;
}

export interface TextLine {
  readonly text: string;
  readonly number: number;
  /** The line was longer than the limit, so its end is missing. */
  readonly cut: boolean;
}

/** The reason why a line was left out. */
export type LeftOut = "no_time" | "too_long" | "message_full";

export interface TextSink {
  entry(entry: TextEntry, line: number): void;
  left(line: number, why: LeftOut, reason: string): void;
}

/** Every line is an entry, joined to an entry, blank, or left out and reported to the sink. */
export interface TextCounts {
  entries: number;
  joined: number;
  blank: number;
  left_out: number;
  /** Entries with the time of their arrival, or of the entry before. */
  time_from_arrival: number;
  time_from_previous: number;
}

/** Reads lines. The last entry waits for continuation lines; `flush` yields it. */
export interface TextReader {
  read(line: TextLine): void;
  flush(): void;
  readonly counts: Readonly<TextCounts>;
}

/** Longest message that lines are joined into, in characters. */
export const JOINED_CHARS_MAX = 64 * 1024;

const REASONS: Readonly<Record<LeftOut, string>> = {
  no_time:
    "no time in its first 80 characters (--on-no-time chooses another treatment of such lines, --time-format another form)",
  too_long: "longer than one entry may be (256 KiB)",
  message_full: "the message that it continues has 64 KiB already",
};

interface Waiting {
  readonly entry: TextEntry;
  readonly line: number;
  joined: number;
}

/** @throws TimeFormatError, PatternError */
export function createTextReader(options: TextOptions, sink: TextSink): TextReader {
  return new Reader(options, sink);
}

/** Returns the fault of a pattern or a time format, or null. */
export function checkTextOptions(
  options: Pick<TextOptions, "pattern" | "timeFormat">,
): { option: "pattern" | "time-format"; reason: string } | null {
  const nobody = { zone: UTC, latestMs: () => 0, nowIso: () => "" };
  try {
    parserOf({ ...nobody, ...options });
    return null;
  } catch (error) {
    if (error instanceof PatternError) return { option: "pattern", reason: error.message };
    if (error instanceof TimeFormatError) return { option: "time-format", reason: error.message };
    throw error;
  }
}

class Reader implements TextReader {
  readonly counts: TextCounts = {
    entries: 0,
    joined: 0,
    blank: 0,
    left_out: 0,
    time_from_arrival: 0,
    time_from_previous: 0,
  };
  readonly #parse: Parser;
  readonly #options: TextOptions;
  readonly #sink: TextSink;
  #waiting: Waiting | null = null;
  #previousTime: string | null = null;

  constructor(options: TextOptions, sink: TextSink) {
    this.#options = options;
    this.#sink = sink;
    this.#parse = parserOf(options);
  }

  read(line: TextLine): void {
    if (line.text.trim() === "") {
      this.counts.blank++;
      return;
    }
    if (this.#waiting !== null && isContinuation(line.text)) return this.#join(this.#waiting, line);
    const parsed = this.#parse(line.text);
    if (parsed.timestamp !== null) return this.#begin(line, parsed, parsed.timestamp);
    if (this.#waiting !== null && takeLevelLine(this.#waiting, line.text)) {
      this.counts.joined++;
      return;
    }
    this.#withoutTime(line, parsed);
  }

  flush(): void {
    if (this.#waiting === null) return;
    const { entry, line } = this.#waiting;
    this.#waiting = null;
    this.counts.entries++;
    this.#sink.entry(entry, line);
  }

  #withoutTime(line: TextLine, parsed: ParsedLine): void {
    const { onNoTime, nowIso } = this.#options;
    if (onNoTime === "now") {
      this.counts.time_from_arrival++;
      return this.#begin(line, parsed, nowIso());
    }
    // After a long wait, the reader has already yielded the entry that this line continues. The line gets the same
    // time.
    const goesOn = onNoTime === undefined && isContinuation(line.text);
    if ((onNoTime === "previous" || goesOn) && this.#previousTime !== null) {
      this.counts.time_from_previous++;
      return this.#begin(line, parsed, this.#previousTime);
    }
    const isPlain = /^[a-z]+ /.test(line.text) || (parsed.level === UNSPECIFIED && parsed.message === line.text);
    if (this.#waiting !== null && isPlain && (onNoTime === undefined || isTrace(this.#waiting)))
      return this.#join(this.#waiting, line);
    this.flush();
    this.#leave(line, line.cut ? "too_long" : "no_time");
  }

  #begin({ number, cut }: TextLine, parsed: ParsedLine, timestamp: string): void {
    this.flush();
    const entry: TextEntry = { ...parsed, timestamp };
    if (cut) entry.attributes["cut"] = true;
    this.#previousTime = timestamp;
    this.#waiting = { entry, line: number, joined: 0 };
  }

  #join(waiting: Waiting, line: TextLine): void {
    if (waiting.entry.message.length >= JOINED_CHARS_MAX) return this.#leave(line, "message_full");
    waiting.entry.message += `\n${line.text}`;
    waiting.joined++;
    this.counts.joined++;
  }

  #leave({ number }: TextLine, why: LeftOut): void {
    this.counts.left_out++;
    this.#sink.left(number, why, REASONS[why]);
  }
}

function parserOf(options: TextOptions): Parser {
  const context = createTimeContext(options);
  const { timeFormat, pattern } = options;
  const find: TimeFinder =
    timeFormat === undefined ? (line) => findTime(line, context) : createStrptime(timeFormat, context);
  if (pattern !== undefined) return createPatternParser(pattern, find);
  return timeFormat === undefined ? createTextParser(context) : createTimedParser(find);
}

/** Whether the last joined line looks like part of a stack trace. Then plain lines after it belong to the entry too. */
function isTrace({ entry, joined }: Waiting): boolean {
  if (joined === 0) return false;
  return isContinuation(entry.message.slice(entry.message.lastIndexOf("\n") + 1));
}

/**
 * `INFO: message`, the second line of an entry of java.util.logging. The first line has the time, the class and the
 * method.
 */
const LEVEL_LINE = /^(?<level>SEVERE|WARNING|INFO|CONFIG|FINE|FINER|FINEST): (?<message>.*)$/s;
const CLASS_AND_METHOD = /^(?<logger>[\w.$]+)(?: [\w<>$]+)?$/;

function takeLevelLine({ entry, joined }: Waiting, text: string): boolean {
  const line = joined > 0 || entry.level !== UNSPECIFIED ? undefined : LEVEL_LINE.exec(text)?.groups;
  const logger = line === undefined ? undefined : CLASS_AND_METHOD.exec(entry.message)?.groups?.["logger"];
  if (line === undefined || logger === undefined) return false;
  entry.level = line["level"] ?? UNSPECIFIED;
  entry.message = line["message"] ?? "";
  entry.attributes["logger"] = logger;
  return true;
}
