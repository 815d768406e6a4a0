import { parseJson } from "#kernel/json-names.ts";
import { isAscii, isUtf8 } from "node:buffer";
import { INGEST_ENTRIES_MAX, INGEST_ENTRY_BYTES_MAX } from "#kernel/limits.ts";
import { elementsOf, isDeeperThan, mayBeInexact } from "#kernel/json-text.ts";
import { Problem } from "#kernel/problem.ts";
import type { TelemetryType } from "#stores/telemetry/index.ts";
import { EntryCheck, escaped, isObject } from "./check.ts";
import {
  encodeEntry,
  noteOversized,
  parseOrdered,
  refusal,
  refuseTooLarge,
  SURROGATE_ESCAPE,
  tooMany,
  whereNotJson,
  wrongEnvelope,
  type EncodedEntries,
  type EncodeOptions,
  type EntryContext,
} from "./entry.ts";
import { withoutMark } from "./mark.ts";
import { outline } from "./outline.ts";
import { scanEntries } from "./scan.ts";

/**
 * Checks the body of an ingest request and turns its entries into rows.
 * @throws Problem `invalid_body` with the places of the first 20 faults; `body_too_large`
 */
export function encodeEntries(type: TelemetryType, sent: Buffer, options: EncodeOptions): EncodedEntries {
  const body = withoutMark(sent);
  const scanned = options.services === undefined ? scanEntries(type, body, options) : null;
  return scanned === null ? parseEntries(type, body, options) : { ...scanned, rejected: 0, errors: [] };
}

/** The slow path. It accepts every body, reports faults, and handles rare forms. */
export function parseEntries(type: TelemetryType, body: Buffer, options: EncodeOptions): EncodedEntries {
  refuseTooLarge(body);
  if (!isUtf8(body)) throw new Problem("invalid_body", "cannot read the body: it is not valid UTF-8");
  const oversized = oversizedIn(body);
  const text = body.toString(isAscii(body) ? "latin1" : "utf8");
  const mend = SURROGATE_ESCAPE.test(text);
  const context = { type, options, oversized, mend };
  return encode(entriesOf(parse(text)), context);
}

/**
 * Text that is nested deeper is not parsed with exact numbers, because that is recursive. Valid entries are far below
 * this depth.
 */
const EXACT_DEPTH_MAX = 500;

interface Context extends EntryContext {
  readonly oversized: ReadonlySet<number>;
}

function encode(entries: readonly unknown[], context: Context): EncodedEntries {
  const check = new EntryCheck(context.options);
  let text = "";
  let rejected = 0;
  for (let index = 0; index < entries.length; index++) {
    check.begin(index);
    const row = encodeAt(index, entries, context, check);
    if (check.faulty) rejected += 1;
    else text += row;
  }
  if (rejected > 0 && !context.options.lenient) throw refusal(rejected, entries.length, check);
  return {
    rows: Buffer.from(text),
    count: entries.length - rejected,
    rejected,
    errors: check.places,
    refused: check.refused,
  };
}

function encodeAt(index: number, entries: readonly unknown[], context: Context, check: EntryCheck): string {
  const entry = entries[index];
  if (!context.oversized.has(index) || !isObject(entry)) return encodeEntry(entry, context, check);
  noteOversized(check);
  return "";
}

/**
 * Only a body larger than the limit of an entry can contain a too large entry, or be so deep that parsing is expensive.
 */
function oversizedIn(body: Buffer): ReadonlySet<number> {
  if (body.length <= INGEST_ENTRY_BYTES_MAX) return new Set();
  const { elements, oversized, tooDeep } = outline(body);
  if (tooDeep) throw new Problem("invalid_body", "cannot read the body: it is nested too deeply");
  if (elements > INGEST_ENTRIES_MAX) throw tooMany();
  return oversized;
}

function parse(text: string): unknown {
  try {
    return mayBeInexact(text) && isDeeperThan(text, EXACT_DEPTH_MAX) ? parseEach(text) : parseOrdered(text);
  } catch (error) {
    throw notJson(error);
  }
}

/**
 * Parses each entry separately, because the body is too deep to be parsed as a whole with exact numbers. Entries that
 * are too deep are refused later.
 */
function parseEach(text: string): unknown {
  const body = parseJson(text);
  if (!isObject(body) || !Array.isArray(body["entries"]) || Object.keys(body).length > 1) return body;
  const elements = elementsOf(text.slice(text.indexOf("["), text.lastIndexOf("]") + 1)) ?? [];
  return {
    entries: elements.map((element) =>
      isDeeperThan(element, EXACT_DEPTH_MAX) ? parseJson(element) : parseOrdered(element),
    ),
  };
}

function notJson(error: unknown): Problem {
  return new Problem("invalid_body", `cannot read the body: it is not valid JSON${whereNotJson(error)}`);
}

function entriesOf(body: unknown): readonly unknown[] {
  if (!isObject(body)) throw wrongEnvelope("", 'must be an object with one key "entries"');
  for (const name in body) {
    if (name !== "entries") throw wrongEnvelope(`/${escaped(name)}`, 'is not known; the body has one key "entries"');
  }
  const entries = body["entries"];
  if (entries === undefined) throw wrongEnvelope("/entries", "is required");
  if (!Array.isArray(entries)) throw wrongEnvelope("/entries", "must be an array");
  if (entries.length > INGEST_ENTRIES_MAX) throw tooMany();
  return entries;
}
