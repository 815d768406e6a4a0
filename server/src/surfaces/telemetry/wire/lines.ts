import { isAscii, isUtf8 } from "node:buffer";
import { INGEST_ENTRIES_MAX, INGEST_ENTRY_BYTES_MAX } from "#kernel/limits.ts";
import type { TelemetryType } from "#stores/telemetry/index.ts";
import { EntryCheck } from "./check.ts";
import {
  encodeEntry,
  noteOversized,
  parseOrdered,
  refusal,
  refuseTooLarge,
  SURROGATE_ESCAPE,
  tooMany,
  whereNotJson,
  type EncodedEntries,
  type EncodeOptions,
} from "./entry.ts";
import { startsWithMark } from "./mark.ts";
import { isTooDeep } from "./outline.ts";
import { scanLines } from "./scan.ts";

const NEWLINE = 0x0a;

/**
 * Checks a body of lines (NDJSON) and encodes its entries to rows, one entry in each line. Ignores blank lines, a
 * carriage return at the end of a line, and a byte order mark at the start. A line that is not JSON affects only
 * itself.
 * @throws Problem `invalid_body` with the places of the first 20 faults; `body_too_large`
 */
export function encodeLines(type: TelemetryType, body: Buffer, options: EncodeOptions): EncodedEntries {
  const scanned = options.services === undefined ? scanLines(type, body, options) : null;
  return scanned === null ? parseLines(type, body, options) : { ...scanned, rejected: 0, errors: [] };
}

/** The slow path. It accepts every body, reports faults, and handles rare forms. */
export function parseLines(type: TelemetryType, body: Buffer, options: EncodeOptions): EncodedEntries {
  refuseTooLarge(body);
  const wellFormed = isUtf8(body);
  const check = new EntryCheck(options);
  let text = "";
  let index = 0;
  let rejected = 0;
  for (const { bytes, line } of linesOf(body)) {
    if (index === INGEST_ENTRIES_MAX) throw tooMany();
    const at = { index: index++, line };
    const row = wellFormed || isUtf8(bytes) ? encodeLine(type, bytes, { at, options, check }) : notUtf8(at, check);
    if (check.faulty) rejected += 1;
    else text += row;
  }
  if (rejected > 0 && !options.lenient) throw refusal(rejected, index, check);
  return { rows: Buffer.from(text), count: index - rejected, rejected, errors: check.places, refused: check.refused };
}

interface Place {
  readonly index: number;
  readonly line: number;
}

interface LineContext {
  readonly at: Place;
  readonly options: EncodeOptions;
  readonly check: EntryCheck;
}

function encodeLine(type: TelemetryType, bytes: Buffer, { at, options, check }: LineContext): string {
  check.begin(at.index, at.line);
  if (bytes.length > INGEST_ENTRY_BYTES_MAX) noteOversized(check);
  else if (isTooDeep(bytes)) check.fault("", "is nested too deeply", "unreadable");
  if (check.faulty) return "";
  const text = bytes.toString(isAscii(bytes) ? "latin1" : "utf8");
  const context = { type, options, mend: SURROGATE_ESCAPE.test(text) };
  try {
    return encodeEntry(parseOrdered(text), context, check);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    check.fault("", `is not valid JSON${whereNotJson(error)}`, "unreadable");
    return "";
  }
}

function notUtf8(at: Place, check: EntryCheck): string {
  check.begin(at.index, at.line);
  check.fault("", "is not valid UTF-8", "unreadable");
  return "";
}

/** Yields the lines that are not blank, without surrounding white space, and their numbers from 1. */
function* linesOf(body: Buffer): Generator<{ bytes: Buffer; line: number }> {
  let start = startsWithMark(body) ? 3 : 0;
  for (let line = 1; start < body.length; line++) {
    const found = body.indexOf(NEWLINE, start);
    const next = found === -1 ? body.length : found;
    let end = next;
    while (start < end && isSpace(body[start])) start += 1;
    while (end > start && isSpace(body[end - 1])) end -= 1;
    if (end > start) yield { bytes: body.subarray(start, end), line };
    start = next + 1;
  }
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d;
}
