import { levelOf, type Format, type TextEntry } from "../entry.ts";
import { timestampOfEpoch, type TimeContext } from "../time.ts";
import { iso } from "./iso.ts";

const TIME_KEYS = ["timestamp", "@timestamp", "time", "ts"];
const LEVEL_KEYS = ["level", "severity", "lvl", "levelname"];
const MESSAGE_KEYS = ["message", "msg", "log"];
const SERVICE_KEYS = ["service", "app", "name"];

/** Numbers that pino and bunyan write as levels. */
const NUMBER_LEVELS: Readonly<Record<string, string>> = {
  10: "trace",
  20: "debug",
  30: "info",
  40: "warn",
  50: "error",
  60: "fatal",
};

/** Loggers that write JSON (pino, bunyan, zap, Docker's json-file): time, level and message under their usual names. */
export const jsonLog: Format = (line, context) => {
  if (!line.startsWith("{")) return null;
  let fields: unknown;
  try {
    fields = JSON.parse(line);
  } catch {
    return null;
  }
  return typeof fields === "object" && fields !== null ? entryOf(fields as Record<string, unknown>, context) : null;
};

const PAIR = /([\w.@-]+)=("(?:[^"\\]|\\.)*"|[^\s"]*)(?:\s+|$)/y;

/** logfmt: `time=2026-11-20T08:00:00Z level=info msg="it works" status=200`. */
export const logfmt: Format = (line, context) => {
  const fields: Record<string, unknown> = {};
  PAIR.lastIndex = 0;
  let end = 0;
  for (let match = PAIR.exec(line); match !== null; match = PAIR.exec(line)) {
    fields[match[1] ?? ""] = unquoted(match[2] ?? "");
    end = PAIR.lastIndex;
  }
  return end === line.length ? entryOf(fields, context) : null;
};

function entryOf(fields: Record<string, unknown>, context: TimeContext): TextEntry | null {
  const rest = { ...fields };
  const take = (keys: readonly string[]): string | undefined => {
    const key = keys.find((name) => typeof rest[name] === "string" || typeof rest[name] === "number");
    if (key === undefined) return undefined;
    const value = rest[key] as string | number;
    delete rest[key];
    return String(value);
  };
  const timestamp = timeOf(take(TIME_KEYS), context);
  const message = take(MESSAGE_KEYS);
  if (timestamp === null || message === undefined) return null;
  const level = take(LEVEL_KEYS) ?? "";
  const service = take(SERVICE_KEYS);
  return {
    timestamp,
    level: levelOf(NUMBER_LEVELS[level] ?? level),
    message: message.replace(/\n$/, ""),
    ...(service === undefined ? {} : { service }),
    attributes: rest as TextEntry["attributes"],
  };
}

function timeOf(value: string | undefined, context: TimeContext): string | null {
  if (value === undefined) return null;
  const [whole = "", fraction = ""] = value.split(".");
  return timestampOfEpoch(whole, fraction) ?? iso(value, context)?.timestamp ?? null;
}

function unquoted(text: string): string {
  if (!text.startsWith('"')) return text;
  try {
    return String(JSON.parse(text));
  } catch {
    return text.slice(1, -1);
  }
}
