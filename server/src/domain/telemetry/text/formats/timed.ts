import { addDetails } from "../details.ts";
import { attributesOf, levelOf, type Groups, type ParsedLine, type TextEntry } from "../entry.ts";
import { headOf } from "../heads.ts";
import { findLevel, letterLevel, startsWithLevel, syslogLevel, withoutLevel } from "../levels.ts";
import type { TimeFinder } from "../times/index.ts";
import { fieldsEntry } from "./structured.ts";

const ATTRIBUTES = ["host", "program", "pid", "logger", "thread", "user", "database", "query_id", "code", "subsystem"];

/**
 * The host and program that rsyslog and journalctl write. Used only after a time with a T and an offset, because other
 * words could be anything.
 */
const HOST_HEAD = /^(?<host>[\w.:-]+) (?<program>[^\s:[\]]+)(?:\[(?<pid>\d+)\])?: (?<message>.*)$/s;
const EXACT_TIME = /T.*(?:Z|[+-]\d\d:?\d\d)$/;

/** Brackets, quotes and punctuation that end a time. */
const CLOSING = /^["')\]}>]*(?:[:,;](?=\s|$))?\s*/;
const OPENING = /[\s[({<|"':,-]+$/;
const WEEKDAY = /(?:^|[\s[({<])(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? $/;
/** `1:M 20 Nov 2026 08:00:00.123 message` of Redis. Its marks after the time are levels. */
const REDIS = /^\[?(?<pid>\d+)\]?(?::[XCSM])? $/;
const REDIS_MARK = /^(?<mark>[.*#-]) (?<message>.*)$/s;
const REDIS_LEVELS: Groups = { ".": "debug", "-": "verbose", "*": "notice", "#": "warning" };
/** One letter before a time: `[W 2026-…`. Ruby's `W, [2026-…` also has the level word after the time. */
const LETTER = /^\[?([DIWECFTVN]) ?\[?$/;
const RUBY = /^[DIWEFA], \[$/;
/** One word before the time: the file or program of the line. */
const ORIGIN = /^[^\s[<({|]{1,256}$/;

/** Reads any line that contains a time; null for others. */
export function timed(line: string, find: TimeFinder): ParsedLine | null {
  const time = find(line);
  if (time === null) return null;
  const before = line.slice(0, time.start);
  const rest = line.slice(time.end).replace(CLOSING, "");
  const fields = fieldsEntry(rest);
  if (fields !== null && before.trim() === "") return { ...fields, timestamp: time.timestamp };
  const isExact = EXACT_TIME.test(line.slice(time.start, time.end));
  const entry = redis(before, rest) ?? plain(originOf(before), rest, isExact);
  return { ...entry, timestamp: time.timestamp };
}

/** Reads a line without a time: its message, and its level if it begins with one. */
export function untimed(line: string): ParsedLine {
  const fields = fieldsEntry(line);
  if (fields !== null) return fields;
  const found = findLevel(line);
  const message = found === null ? line : withoutLevel(line, found);
  return { timestamp: null, level: levelOf(found?.level), message, attributes: {} };
}

/** The text before a time: a level, a file or program, or words that belong to the message. */
interface Origin {
  readonly level?: string | undefined;
  readonly attributes: TextEntry["attributes"];
  readonly text: string;
}

const NO_ORIGIN: Origin = { attributes: {}, text: "" };

function originOf(before: string): Origin {
  if (before === "" || RUBY.test(before)) return NO_ORIGIN;
  const letter = LETTER.exec(before)?.[1];
  if (letter !== undefined) return { ...NO_ORIGIN, level: letterLevel(letter) };
  const text = before.replace(WEEKDAY, "").replace(OPENING, "").trimStart();
  if (!/\w/.test(text)) return NO_ORIGIN;
  if (text.includes(".log") && ORIGIN.test(text)) return { attributes: { file: text }, text: "" };
  const found = findLevel(text);
  if (found !== null) {
    const left = text.slice(0, found.start).replace(OPENING, "") + text.slice(found.end).replace(CLOSING, " ");
    return { level: found.level, attributes: {}, text: left.trim() };
  }
  if (!ORIGIN.test(text)) return { attributes: {}, text };
  return { attributes: { program: text }, text: "" };
}

function plain(origin: Origin, rest: string, isExact: boolean): ParsedLine {
  const head = headAfter(rest, isExact);
  const { level, message } = levelAndMessage(rest, head, origin);
  const attributes = { ...origin.attributes, ...attributesOf(head, ATTRIBUTES), ...contextOf(head["context"]) };
  const text = origin.text === "" ? message : `${origin.text} ${message}`;
  const entry: ParsedLine = { timestamp: null, level: levelOf(level), message: text, attributes };
  if (typeof attributes["program"] === "string") entry.service = attributes["program"];
  addDetails(entry);
  return entry;
}

function headAfter(rest: string, isExact: boolean): Groups {
  const host = isExact && !startsWithLevel(rest) ? HOST_HEAD.exec(rest)?.groups : undefined;
  return host ?? headOf(rest);
}

function levelAndMessage(rest: string, head: Groups, origin: Origin): { level: string | undefined; message: string } {
  const said = head["message"] ?? rest;
  const known = origin.level ?? head["level"] ?? letterLevel(head["letter"]) ?? numberLevel(head["severity"]);
  if (known !== undefined) return { level: known, message: said.replace(/^[-|:] +/, "") };
  // After a program comes its message, so its words are not parsed as a head.
  const isMessage = head["program"] !== undefined;
  const found = findLevel(said, isMessage ? 0 : undefined);
  if (found === null) return { level: undefined, message: said.replace(/^\|/, "") };
  return { level: found.level, message: isMessage ? said : withoutLevel(said, found) };
}

function numberLevel(severity: string | undefined): string | undefined {
  return severity === undefined ? undefined : syslogLevel(Number(severity));
}

function redis(before: string, rest: string): ParsedLine | null {
  const pid = REDIS.exec(before)?.groups?.["pid"];
  const { mark, message } = REDIS_MARK.exec(rest)?.groups ?? {};
  const level = REDIS_LEVELS[mark ?? ""];
  if (pid === undefined || level === undefined) return null;
  return { timestamp: null, level, message: message ?? "", attributes: { pid: Number(pid) } };
}

/** The request context of OpenStack's services: request, user and tenant. */
function contextOf(context: string | undefined): TextEntry["attributes"] {
  const [request = "-", user = "-", tenant = "-"] = context?.split(" ") ?? [];
  return attributesOf({ request_id: request, user_id: user, tenant_id: tenant }, [
    "request_id",
    "user_id",
    "tenant_id",
  ]);
}
