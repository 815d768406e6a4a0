import { parseJson } from "#kernel/json-names.ts";
import { createTextReader as readText, type TextCounts, type TextOptions } from "#domain/telemetry/text/index.ts";
import type { Line } from "./lines.ts";

export type TelemetryKind = "logs" | "metrics" | "traces";

/** An entry as JSON text, and its line number. */
export interface ReadyEntry {
  readonly json: string;
  readonly line: number;
}

/** Why a line was left out: one word, for the counts. */
export type LeftOutWhy = "no_time" | "too_long" | "message_full" | "not_json" | "refused_by_server";

export interface BadLine {
  readonly line: number;
  readonly why: LeftOutWhy;
  readonly reason: string;
}

/** Counts of lines that are neither entries nor left out, and of entries whose time is not from the line. */
export type LineCounts = Pick<TextCounts, "blank" | "joined" | "time_from_arrival" | "time_from_previous">;

/** Turns lines into entries. Some entries wait for the next line; `flush` returns them. */
export interface EntryReader {
  read(line: Line): void;
  flush(): void;
  readonly counts: Readonly<LineCounts>;
}

export interface EntrySink {
  entry(entry: ReadyEntry): void;
  bad(line: BadLine): void;
}

/** Members that the command line adds to entries that lack them. */
export interface Additions {
  readonly service?: string | undefined;
  readonly attributes: Readonly<Record<string, string>>;
}

/** Reads one JSON object per line. The server checks the members. */
export function createJsonReader(kind: TelemetryKind, additions: Additions, sink: EntrySink): EntryReader {
  const plain = additions.service === undefined && Object.keys(additions.attributes).length === 0;
  const counts = { blank: 0, joined: 0, time_from_arrival: 0, time_from_previous: 0 };
  return {
    counts,
    read: ({ text, number, cut }) => {
      if (text.trim() === "") {
        counts.blank++;
        return;
      }
      if (cut) return sink.bad({ line: number, why: "too_long", reason: TOO_LONG });
      let value: unknown;
      try {
        value = parseJson(text);
      } catch (error) {
        return sink.bad({
          line: number,
          why: "not_json",
          reason: `not JSON: ${(error as Error).message.slice(0, 200)} (use --format text for plain lines)`,
        });
      }
      if (typeof value !== "object" || value === null || Array.isArray(value)) {
        return sink.bad({ line: number, why: "not_json", reason: "not a JSON object" });
      }
      sink.entry({
        json: plain ? text : JSON.stringify(withAdditions(kind, value as JsonObject, additions)),
        line: number,
      });
    },
    flush: () => {},
  };
}

/** Reads plain log lines. Continuation lines are joined to the message before. @throws TimeFormatError, PatternError */
export function createTextReader(options: TextOptions, additions: Additions, sink: EntrySink): EntryReader {
  return readText(options, {
    entry: (found, line) => {
      // A line's program is its service only if no option names one.
      const entry = additions.service === undefined ? found : { ...found, service: additions.service };
      sink.entry({ json: JSON.stringify(withAdditions("logs", { ...entry }, additions)), line });
    },
    left: (line, why, reason) => sink.bad({ line, why, reason }),
  });
}

const TOO_LONG = "longer than an entry may be (256 KiB)";

type JsonObject = Record<string, unknown>;

/** The entry's own members win. Metrics have tags, and no service. */
function withAdditions(kind: TelemetryKind, entry: JsonObject, { service, attributes }: Additions): JsonObject {
  const named = service === undefined ? {} : { service };
  if (kind === "metrics") return { ...entry, tags: merged({ ...named, ...attributes }, entry["tags"]) };
  return { ...named, ...entry, attributes: merged(attributes, entry["attributes"]) };
}

/** Leaves values that are not objects, so that the server's error names them. */
function merged(additions: Readonly<Record<string, string>>, own: unknown): unknown {
  return own === undefined || (typeof own === "object" && own !== null && !Array.isArray(own))
    ? { ...additions, ...own }
    : own;
}
