import type { TimeContext } from "./times/index.ts";

/** A log entry as the ingest interface accepts it, made from one line of text. */
export interface TextEntry {
  timestamp: string;
  level: string;
  message: string;
  service?: string;
  trace_id?: string;
  attributes: Record<string, string | number | boolean>;
}

/** The content of a line. The timestamp is null where no time was found. */
export type ParsedLine = Omit<TextEntry, "timestamp"> & { timestamp: string | null };

/** Reads lines of one format; null when a line has another format. */
export type Format = (line: string, context: TimeContext) => ParsedLine | null;

/** Level of lines without a level word. It has no severity, because the server does not guess one. */
export const UNSPECIFIED = "unspecified";

/** Length of the longest level that the interface accepts. */
const LEVEL_CHARS_MAX = 32;

export type Groups = Readonly<Record<string, string | undefined>>;

const NUMBERS = new Set(["pid", "client_port", "status", "bytes"]);

/** Builds attributes from named groups. Groups that did not match or are `-` are left out. Numbers become numbers. */
export function attributesOf(groups: Groups, names: readonly string[]): TextEntry["attributes"] {
  const attributes: TextEntry["attributes"] = {};
  for (const name of names) {
    const text = groups[name]?.trim();
    if (text === undefined || text === "" || text === "-") continue;
    attributes[name] = NUMBERS.has(name) && /^\d{1,15}$/.test(text) ? Number(text) : text;
  }
  return attributes;
}

export function levelOf(text: string | undefined): string {
  const level = text?.trim().slice(0, LEVEL_CHARS_MAX);
  return level === undefined || level === "" ? UNSPECIFIED : level;
}
