import { parseJson } from "#kernel/json-names.ts";
import { createTextReader as readText, type TextCounts, type TextOptions } from "#domain/telemetry/text/index.ts";
import type { Line } from "./lines.ts";

export type TelemetryKind = "logs" | "metrics" | "traces";

/** An entry as JSON text, ready for a batch, and the line that it came from. */
export interface ReadyEntry {
  readonly json: string;
  readonly line: number;
}

/** Why a line was left out, in a word for counts. */
export type LeftOutWhy = "no_time" | "too_long" | "message_full" | "not_json" | "refused_by_server";

export interface BadLine {
  readonly line: number;
  readonly why: LeftOutWhy;
  readonly reason: string;
}

/** Counts of lines that are not entries and were not left out, and of entries that got their time elsewhere. */
export type LineCounts = Pick<TextCounts, "blank" | "joined" | "time_from_arrival" | "time_from_previous">;

/** Turns lines into entries. Some wait for the next line: `flush` gives what waits. */
export interface EntryReader {
  read(line: Line): void;
  flush(): void;
  readonly counts: Readonly<LineCounts>;
}

export interface EntrySink {
  entry(entry: ReadyEntry): void;
  bad(line: BadLine): void;
}

/** Members that the command line adds to each entry without them. */
export interface Additions {
  readonly service?: string | undefined;
  readonly attributes: Readonly<Record<string, string>>;
}

/** One JSON object a line, of the shape that the interface takes; the server checks the rest. */
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
          reason: `not JSON: ${(error as Error).message.slice(0, 200)} (--format text takes plain lines)`,
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

/**
 * Plain log lines; those that go on with the line before are joined to its message.
 *
 * @throws TimeFormatError, PatternError
 */
export function createTextReader(options: TextOptions, additions: Additions, sink: EntrySink): EntryReader {
  return readText(options, {
    entry: (found, line) => {
      // The program of a line is its service only if no option names one.
      const entry = additions.service === undefined ? found : { ...found, service: additions.service };
      sink.entry({ json: JSON.stringify(withAdditions("logs", { ...entry }, additions)), line });
    },
    left: (line, why, reason) => sink.bad({ line, why, reason }),
  });
}

const TOO_LONG = "longer than one entry may be (256 KiB)";

type JsonObject = Record<string, unknown>;

/** The entry's own members win. Metrics have tags, and no service. */
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
