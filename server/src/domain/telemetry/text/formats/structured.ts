import { parseJson } from "#kernel/json-names.ts";
import { severityName, severityOfPython } from "#kernel/severity.ts";
import { levelOf, type Format, type ParsedLine } from "../entry.ts";
import { findLevel, letterLevel, syslogLevel } from "../levels.ts";
import { readTime, timestampOfEpoch, type TimeContext } from "../times/index.ts";

type Fields = Record<string, unknown>;

/** Names of the fields, the best first. A dot leads into an object. Case is ignored. */
const TIME_KEYS = [
  ..."@timestamp timestamp time ts t.$date t asctime datetime date @t eventtime timemillis".split(" "),
  ..."instant.epochsecond record.time.repr _meta.date __realtime_timestamp".split(" "),
];
const LEVEL_KEYS = [
  ..."log.level levelname level_name level severity severity_text severitytext lvl loglevel log_level @l".split(" "),
  ..."record.level.name _meta.loglevelname levelno priority".split(" "),
];
const MESSAGE_KEYS = "message msg record.message event short_message @m @mt log text body 0".split(" ");
const SERVICE_KEYS = "service service.name app name syslog_identifier".split(" ");

/** Numbers that pino and bunyan write as levels. */
const NUMBER_LEVELS: Readonly<Record<string, string>> = {
  10: "trace",
  20: "debug",
  30: "info",
  40: "warn",
  50: "error",
  60: "fatal",
};
/** The numbers of PHP's Monolog, from 100 on. */
const MONOLOG_LEVELS: Readonly<Record<string, string>> = {
  100: "debug",
  200: "info",
  250: "notice",
  300: "warning",
  400: "error",
  500: "critical",
  550: "alert",
  600: "emergency",
};

/** Reads lines of loggers that write JSON, by the common names of time, level and message. */
export const jsonLog: Format = (line, context) => {
  const fields = jsonFields(line);
  return fields === null ? null : entryOf(fields, context);
};

/** logfmt: `time=2026-11-20T08:00:00Z level=info msg="it works" status=200`. */
export const logfmt: Format = (line, context) => {
  const fields = logfmtFields(line);
  if (fields === null) return null;
  const entry = entryOf(fields, context);
  return entry?.timestamp === null ? null : entry;
};

/** Reads JSON or logfmt without a time; it has the level and the message. */
export function fieldsEntry(text: string): ParsedLine | null {
  const fields = text.startsWith("{") ? jsonFields(text) : logfmtFields(text);
  return fields === null ? null : entryOf(fields, null);
}

function jsonFields(line: string): Fields | null {
  if (!line.startsWith("{")) return null;
  try {
    const fields: unknown = parseJson(line);
    return typeof fields === "object" && fields !== null ? (fields as Fields) : null;
  } catch {
    return null;
  }
}

const PAIR = /([\w.@/-]+)=("(?:[^"\\]|\\.)*"|[^\s"]*)(?:\s+|$)/y;

function logfmtFields(line: string): Fields | null {
  const fields: Fields = {};
  PAIR.lastIndex = 0;
  let end = 0;
  for (let match = PAIR.exec(line); match !== null; match = PAIR.exec(line)) {
    fields[match[1] ?? ""] = unquoted(match[2] ?? "");
    end = PAIR.lastIndex;
  }
  return end > 0 && end === line.length ? fields : null;
}

/** Builds the entry of a record; null without a message, because that is not a log line. */
function entryOf(fields: Fields, context: TimeContext | null): ParsedLine | null {
  const rest = new Rest(fields);
  const isGelf = "short_message" in fields;
  const message = rest.take(MESSAGE_KEYS);
  if (message === undefined) return null;
  const timestamp = context === null ? null : timeOf(rest, context);
  const level = levelIn(rest, message, isGelf);
  const service = rest.take(SERVICE_KEYS);
  return {
    timestamp,
    level: levelOf(level),
    message: message.replace(/\n$/, ""),
    ...(service === undefined ? {} : { service }),
    attributes: rest.left() as ParsedLine["attributes"],
  };
}

function timeOf(rest: Rest, context: TimeContext): string | null {
  for (const key of TIME_KEYS) {
    const value = rest.peek(key);
    if (value === undefined) continue;
    const [whole = "", fraction = rest.peek("instant.nanoofsecond")?.padStart(9, "0") ?? ""] = exact(value).split(".");
    const timestamp = timestampOfEpoch(whole, fraction) ?? readTime(value, context);
    if (timestamp === null) continue;
    rest.take([key]);
    return timestamp;
  }
  return null;
}

/** A double is inexact from the seventh digit of its fraction on: `.354` became `.3539999`. */
function exact(value: string): string {
  return /^\d{10}\.\d{7,8}$/.test(value) ? String(Number(Number(value).toFixed(6))) : value;
}

function levelIn(rest: Rest, message: string, isGelf: boolean): string | undefined {
  // MongoDB writes the level as a letter in `s`. Other loggers use `s` for other things.
  const letter = rest.peek("t.$date") === undefined ? undefined : letterLevel(rest.take(["s"]));
  if (letter !== undefined) return letter;
  const key = LEVEL_KEYS.find((name) => rest.peek(name) !== undefined);
  const value = key === undefined ? undefined : rest.take([key]);
  if (value === undefined) return findLevel(message, 0)?.level;
  if (!/^\d+$/.test(value)) return value;
  if (key === "levelno") return severityName(severityOfPython(Number(value)));
  if (key === "priority" || isGelf) return syslogLevel(Number(value));
  return NUMBER_LEVELS[value] ?? MONOLOG_LEVELS[value] ?? value;
}

/** The fields of a record that were not used yet. */
class Rest {
  readonly #fields: Fields;
  /** Original names by lower-case name. */
  readonly #names = new Map<string, string>();

  constructor(fields: Fields) {
    this.#fields = fields;
    for (const name of Object.keys(fields)) this.#names.set(name.toLowerCase(), name);
  }

  /** Removes and returns the first of the fields that is a text or a number. Fields inside objects are not removed. */
  take(keys: readonly string[]): string | undefined {
    for (const key of keys) {
      const value = this.peek(key);
      if (value === undefined) continue;
      this.#names.delete(key);
      return value;
    }
    return undefined;
  }

  peek(key: string): string | undefined {
    const name = this.#names.get(key);
    const value = name === undefined ? this.#within(key) : this.#fields[name];
    return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
  }

  left(): Fields {
    return Object.fromEntries([...this.#names.values()].map((name) => [name, this.#fields[name]]));
  }

  #within(path: string): unknown {
    const [first = "", ...names] = path.split(".");
    if (names.length === 0 || !this.#names.has(first)) return undefined;
    let value = this.#fields[this.#names.get(first) ?? ""];
    for (const name of names) value = memberOf(value, name);
    return value;
  }
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  const key = Object.keys(value).find((key) => key.toLowerCase() === name);
  return key === undefined ? undefined : (value as Fields)[key];
}

function unquoted(text: string): string {
  if (!text.startsWith('"')) return text;
  try {
    return String(JSON.parse(text));
  } catch {
    return text.slice(1, -1);
  }
}
