import type { TimeContext } from "./times/index.ts";

/** A log entry as the ingest interface takes it, made from one line of text. */
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

/** Reads lines of one kind; null when a line is not of that kind. */
export type Format = (line: string, context: TimeContext) => ParsedLine | null;

/** Level of lines without a level word. It has no severity: none is guessed. */
export const UNSPECIFIED = "unspecified";

/** Longest level that the interface takes. */
const LEVEL_CHARS_MAX = 32;

export type Groups = Readonly<Record<string, string | undefined>>;

const NUMBERS = new Set(["pid", "client_port", "status", "bytes"]);

/** Attributes from named groups: those that matched and are not `-`, numbers as numbers. */
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
