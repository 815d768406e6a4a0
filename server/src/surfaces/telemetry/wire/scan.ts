import { isUtf8 } from "node:buffer";
import {
  ATTRIBUTES_DEPTH_MAX,
  INGEST_BODY_BYTES_MAX,
  INGEST_ENTRIES_MAX,
  INGEST_ENTRY_BYTES_MAX,
  LEVEL_CHARS_MAX,
  STATUS_CHARS_MAX,
} from "#kernel/limits.ts";
import { SEVERITY_MAX } from "#kernel/severity.ts";
import type { TelemetryType } from "#stores/telemetry/index.ts";
import type { EncodeOptions } from "./entry.ts";
import { Json, OBJECT_END, OBJECT_START, QUOTE, ARRAY_END, ARRAY_START, COLON, COMMA } from "./scan-json.ts";
import { membersOf, type Member, type Members } from "./scan-members.ts";
import { severityAt } from "./scan-severity.ts";
import { startsWithMark } from "./mark.ts";
import { utcEnd } from "./scan-timestamp.ts";

type ScanOptions = Pick<EncodeOptions, "projectId" | "times">;

/**
 * The fast path from a body to rows: one walk over the bytes that checks everything and copies each entry as sent.
 * JSON.parse and writing the values again cost five times as much (benchmarks/ingest). It accepts only usual valid
 * bodies. For others it returns null, and `encodeEntries` reports the fault or handles the rare form: escapes in names,
 * lone surrogates, repeated names, line breaks inside entries, numbers with exponents.
 */
export function scanEntries(
  type: TelemetryType,
  body: Buffer,
  options: ScanOptions,
): { rows: Buffer; count: number } | null {
  if (body.length > INGEST_BODY_BYTES_MAX || !isUtf8(body)) return null;
  const scan = new Scan(body, membersOf(type), options);
  return scan.envelope() ? { rows: scan.rows(), count: scan.count } : null;
}

/** Scans lines of JSON, one entry in each. Returns null for bodies that `encodeLines` must parse. */
export function scanLines(
  type: TelemetryType,
  body: Buffer,
  options: ScanOptions,
): { rows: Buffer; count: number } | null {
  if (body.length > INGEST_BODY_BYTES_MAX || !isUtf8(body)) return null;
  const scan = new Scan(body, membersOf(type), options);
  return scan.lines() ? { rows: scan.rows(), count: scan.count } : null;
}

const LETTER_Z = 0x5a;
const NEWLINE = 0x0a;
const ENTRIES = Buffer.from('"entries"');
/** The shortest valid entry has more bytes than this. */
const ENTRY_BYTES_MIN = 40;
/** The member to add for each severity; 0 means none. */
const SEVERITIES = Array.from({ length: SEVERITY_MAX + 1 }, (_, severity) =>
  Buffer.from(severity === 0 ? "" : `,"severity":${severity}`),
);
const SEVERITY_BYTES_MAX = `,"severity":${SEVERITY_MAX}`.length;
const END = Buffer.from("}\n");
/** Length of `YYYY-MM-DDTHH:MM:SS`. */
const SECONDS_CHARS = 19;
/** Smaller rows come from Node's shared pool. */
const POOLED_BYTES_MAX = 4096;

class Scan {
  readonly #json: Json;
  readonly #members: Members;
  /** The end of every row: the project if there is one, the closing brace, the line's end. */
  readonly #end: Buffer;
  /** The first and the last time that entries may have, cut to seconds. */
  readonly #times: readonly [Buffer, Buffer] | null;
  readonly #out: Buffer;
  #length = 0;
  count = 0;
  /** The members seen in the current entry, and their replacements. */
  #seen = 0;
  #severity = 0;
  #cutFrom = 0;
  #cutTo = 0;

  constructor(body: Buffer, members: Members, { projectId, times }: ScanOptions) {
    this.#json = new Json(body);
    this.#times = times === undefined ? null : [secondsOf(times.notBefore), secondsOf(times.notAfter)];
    this.#members = members;
    this.#end = projectId === null ? END : Buffer.from(`,"project_id":${JSON.stringify(projectId)}}\n`);
    const entriesMax = Math.min(INGEST_ENTRIES_MAX, Math.ceil(body.length / ENTRY_BYTES_MIN));
    const bytesMax = body.length + entriesMax * (SEVERITY_BYTES_MAX + this.#end.length);
    this.#out = bytesMax < POOLED_BYTES_MAX ? Buffer.allocUnsafe(bytesMax) : Buffer.allocUnsafeSlow(bytesMax);
  }

  rows(): Buffer {
    return this.#out.subarray(0, this.#length);
  }

  /** Reads `{"entries": [...]}`. Returns false for other members. */
  envelope(): boolean {
    const json = this.#json;
    if (json.space() !== OBJECT_START) return false;
    json.at += 1;
    json.space();
    if (!json.startsWith(ENTRIES)) return false;
    json.at += ENTRIES.length;
    if (json.space() !== COLON) return false;
    json.at += 1;
    if (json.space() !== ARRAY_START || !this.#list()) return false;
    if (json.space() !== OBJECT_END) return false;
    json.at += 1;
    json.space();
    return json.at === json.end;
  }

  /** Reads one entry in each line, and blank lines. */
  lines(): boolean {
    const json = this.#json;
    if (startsWithMark(json.bytes)) json.at = 3;
    for (;;) {
      json.space();
      if (json.at === json.end) return true;
      if (this.count === INGEST_ENTRIES_MAX || !this.#entry()) return false;
      this.count += 1;
      json.blank();
      if (json.at < json.end && json.byte() !== NEWLINE) return false;
    }
  }

  #list(): boolean {
    const json = this.#json;
    json.at += 1;
    if (json.space() === ARRAY_END) {
      json.at += 1;
      return true;
    }
    for (;;) {
      if (this.count === INGEST_ENTRIES_MAX || !this.#entry()) return false;
      this.count += 1;
      const next = json.space();
      json.at += 1;
      if (next === ARRAY_END) return true;
      if (next !== COMMA) return false;
      json.space();
    }
  }

  #entry(): boolean {
    const json = this.#json;
    const start = json.at;
    this.#seen = 0;
    json.keys = 0;
    this.#severity = 0;
    this.#cutFrom = 0;
    json.lineBreak = false;
    if (json.space() !== OBJECT_START) return false;
    json.at += 1;
    json.space();
    for (;;) {
      if (!this.#member()) return false;
      const next = json.space();
      json.at += 1;
      if (next === OBJECT_END) break;
      if (next !== COMMA) return false;
      json.space();
    }
    if (json.at - start > INGEST_ENTRY_BYTES_MAX) return false;
    if ((this.#seen & this.#members.required) !== this.#members.required || json.lineBreak) return false;
    this.#write(start, json.at - 1);
    return true;
  }

  /** Reads a known name, which must not be repeated, and a value of the right kind. */
  #member(): boolean {
    const json = this.#json;
    if (json.byte() !== QUOTE) return false;
    const from = json.at + 1;
    if (!json.string() || json.escaped) return false;
    const member = this.#members.find(json.bytes, from, json.at - 1);
    if (member === null || (this.#seen & member.bit) !== 0) return false;
    this.#seen |= member.bit;
    json.keys += 1;
    if (json.space() !== COLON) return false;
    json.at += 1;
    json.space();
    return this.#value(member);
  }

  #value(member: Member): boolean {
    const json = this.#json;
    switch (member.kind) {
      case "text":
        return json.byte() === QUOTE && json.string();
      case "timestamp":
        return this.#timestamp();
      case "level":
        return this.#level();
      case "status":
        return this.#shortText(STATUS_CHARS_MAX);
      case "number":
        return json.number();
      case "attributes":
        return json.byte() === OBJECT_START && json.object(ATTRIBUTES_DEPTH_MAX, false);
      case "tags":
        return json.byte() === OBJECT_START && json.object(1, true);
      default:
        return member.kind satisfies never;
    }
  }

  #timestamp(): boolean {
    const json = this.#json;
    const from = json.at + 1;
    if (json.byte() !== QUOTE || !json.string()) return false;
    const end = utcEnd(json.bytes, from, json.at - 1);
    if (end === 0 || this.#mayBeRefused(from)) return false;
    // The timestamp has more digits than are kept, or another form of UTC. Z replaces the rest.
    if (end !== json.at - 2) {
      this.#cutFrom = end;
      this.#cutTo = json.at - 1;
    }
    return true;
  }

  /** Whether a time is not accepted, or in the first or last accepted second. Then the parser decides exactly. */
  #mayBeRefused(from: number): boolean {
    if (this.#times === null) return false;
    const { bytes } = this.#json;
    const [first, last] = this.#times;
    return (
      first.compare(bytes, from, from + SECONDS_CHARS) >= 0 || last.compare(bytes, from, from + SECONDS_CHARS) <= 0
    );
  }

  #level(): boolean {
    const from = this.#json.at + 1;
    if (!this.#shortText(LEVEL_CHARS_MAX)) return false;
    this.#severity = severityAt(this.#json.bytes, from, this.#json.at - 1);
    return true;
  }

  /** Reads a string of at most this many bytes, so of at most as many characters. */
  #shortText(charsMax: number): boolean {
    const json = this.#json;
    const from = json.at + 1;
    return json.byte() === QUOTE && json.string() && !json.escaped && json.at - 1 - from <= charsMax;
  }

  /** Copies an entry without its closing brace, then adds our members. */
  #write(from: number, to: number): void {
    const { bytes } = this.#json;
    if (this.#cutFrom === 0) this.#copy(bytes, from, to);
    else {
      this.#copy(bytes, from, this.#cutFrom);
      this.#out[this.#length++] = LETTER_Z;
      this.#copy(bytes, this.#cutTo, to);
    }
    this.#append(SEVERITIES[this.#severity] as Buffer);
    this.#append(this.#end);
  }

  /** A loop is faster than a call for few bytes. */
  #append(bytes: Buffer): void {
    for (let i = 0; i < bytes.length; i++) this.#out[this.#length + i] = bytes[i] as number;
    this.#length += bytes.length;
  }

  #copy(bytes: Buffer, from: number, to: number): void {
    this.#out.set(bytes.subarray(from, to), this.#length);
    this.#length += to - from;
  }
}

function secondsOf(time: string): Buffer {
  return Buffer.from(time.slice(0, SECONDS_CHARS));
}
