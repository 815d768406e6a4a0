import { isContinuation, type TextEntry } from "./text/index.ts";
import type { Line } from "./lines.ts";

export type TelemetryKind = "logs" | "metrics" | "traces";

/** An entry as JSON text, ready for a batch, and the line that it came from. */
export interface ReadyEntry {
  readonly json: string;
  readonly line: number;
}

export interface BadLine {
  readonly line: number;
  readonly reason: string;
}

/** Turns lines into entries. Some wait for the next line: `flush` gives what waits. */
export interface EntryReader {
  read(line: Line): void;
  flush(): void;
}

export interface EntrySink {
  entry(entry: ReadyEntry): void;
  bad(line: BadLine): void;
}

/** What the command line adds to each entry that does not have it. */
export interface Additions {
  readonly service?: string | undefined;
  readonly attributes: Readonly<Record<string, string>>;
}

/** Longest message that lines without a time of their own are joined into, in characters. */
const JOINED_CHARS_MAX = 64 * 1024;

/** One JSON object a line, of the shape that the interface takes; the server checks the rest. */
export function createJsonReader(kind: TelemetryKind, additions: Additions, sink: EntrySink): EntryReader {
  const plain = additions.service === undefined && Object.keys(additions.attributes).length === 0;
  return {
    read: ({ text, number, cut }) => {
      if (text.trim() === "") return;
      if (cut) return sink.bad({ line: number, reason: TOO_LONG });
      let value: unknown;
      try {
        value = JSON.parse(text);
      } catch (error) {
        return sink.bad({
          line: number,
          reason: `not JSON: ${(error as Error).message.slice(0, 200)} (--format text takes plain lines)`,
        });
      }
      if (typeof value !== "object" || value === null || Array.isArray(value)) {
        return sink.bad({ line: number, reason: "not a JSON object" });
      }
      sink.entry({
        json: plain ? text : JSON.stringify(withAdditions(kind, value as JsonObject, additions)),
        line: number,
      });
    },
    flush: () => {},
  };
}

/** Plain log lines; those that go on with the line before are joined to its message. */
export function createTextReader(
  parse: (line: string) => TextEntry | null,
  additions: Additions,
  sink: EntrySink,
): EntryReader {
  let waiting: { entry: TextEntry; line: number } | null = null;
  const flush = (): void => {
    if (waiting === null) return;
    const { entry, line } = waiting;
    waiting = null;
    // The program of a line stands in for the service only until somebody names one.
    if (additions.service !== undefined) entry.service = additions.service;
    sink.entry({ json: JSON.stringify(withAdditions("logs", entry as unknown as JsonObject, additions)), line });
  };
  return {
    read: ({ text, number, cut }) => {
      if (text.trim() === "") return;
      const entry = parse(text);
      if (entry !== null) {
        flush();
        if (cut) entry.attributes["cut"] = true;
        waiting = { entry, line: number };
      } else if (waiting !== null && isContinuation(text)) {
        if (waiting.entry.message.length < JOINED_CHARS_MAX) waiting.entry.message += `\n${text}`;
      } else {
        flush();
        sink.bad({ line: number, reason: cut ? TOO_LONG : "no time that could be read at the beginning of the line" });
      }
    },
    flush,
  };
}

const TOO_LONG = "longer than one entry may be (256 KiB)";

type JsonObject = Record<string, unknown>;

/** What the entry itself says wins. Metrics have tags, and no service of their own. */
function withAdditions(kind: TelemetryKind, entry: JsonObject, { service, attributes }: Additions): JsonObject {
  const named = service === undefined ? {} : { service };
  if (kind === "metrics") return { ...entry, tags: merged({ ...named, ...attributes }, entry["tags"]) };
  return { ...named, ...entry, attributes: merged(attributes, entry["attributes"]) };
}

/** Anything but an object is left as it is, for the server to refuse by name. */
function merged(additions: Readonly<Record<string, string>>, own: unknown): unknown {
  return own === undefined || (typeof own === "object" && own !== null && !Array.isArray(own))
    ? { ...additions, ...own }
    : own;
}
