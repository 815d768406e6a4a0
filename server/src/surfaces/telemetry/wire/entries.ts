import { isAscii, isUtf8 } from "node:buffer";
import { INGEST_BODY_BYTES_MAX, INGEST_ENTRIES_MAX, INGEST_ENTRY_BYTES_MAX } from "#kernel/limits.ts";
import { Problem, type ProblemPlace } from "#kernel/problem.ts";
import type { TelemetryType } from "#stores/telemetry/index.ts";
import { EntryCheck, escaped, exactJson, isObject, type JsonObject } from "./check.ts";
import { outline } from "./outline.ts";
import { ROW_OF } from "./rows.ts";
import { scanEntries } from "./scan.ts";

export interface EncodeOptions {
  /** The project of the credential that sent the entries, or null. */
  readonly projectId: string | null;
  /** Take the good entries and report the bad ones, instead of refusing all for one (RFC 7240 `handling=lenient`). */
  readonly lenient: boolean;
}

export interface EncodedEntries {
  /** NDJSON, one line an entry, as `Batch.rows` wants it. */
  readonly rows: Buffer;
  readonly count: number;
  /** Entries left out; 0 unless `lenient`. */
  readonly rejected: number;
  /** Where the entries left out are wrong, the first 20 places. */
  readonly errors: ProblemPlace[];
}

/** Strings that are not well-formed can only come from an escape in this form. */
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;

/** Objects nested deeper are left as they are: `EntryCheck` refuses them. */
const MEND_DEPTH_MAX = 64;

/** Integers that 64 bits hold are kept digit for digit. */
const INTEGER_MIN = -(2n ** 63n);
const INTEGER_MAX = 2n ** 64n - 1n;

/**
 * Checks the body of an ingest request and turns its entries into rows.
 * @throws Problem `invalid_body` with the places of the first 20 faults; `body_too_large`
 */
export function encodeEntries(type: TelemetryType, body: Buffer, options: EncodeOptions): EncodedEntries {
  const scanned = scanEntries(type, body, options.projectId);
  return scanned === null ? parseEntries(type, body, options) : { ...scanned, rejected: 0, errors: [] };
}

/** The careful way, for every body: it knows what is wrong, and handles what is rare. */
export function parseEntries(type: TelemetryType, body: Buffer, options: EncodeOptions): EncodedEntries {
  if (body.length > INGEST_BODY_BYTES_MAX) {
    throw new Problem(
      "body_too_large",
      `cannot take a body of more than ${INGEST_BODY_BYTES_MAX} bytes; send fewer entries at a time`,
    );
  }
  if (!isUtf8(body)) throw new Problem("invalid_body", "cannot read the body: it is not valid UTF-8");
  const oversized = oversizedIn(body);
  const text = body.toString(isAscii(body) ? "latin1" : "utf8");
  const mend = SURROGATE_ESCAPE.test(text);
  const context = { type, options, oversized, mend };
  const { encoded, inexact } = encode(entriesOf(parse(text)), context);
  return inexact ? encode(entriesOf(parseExactly(text)), context).encoded : encoded;
}

interface Context {
  readonly type: TelemetryType;
  readonly options: EncodeOptions;
  readonly oversized: ReadonlySet<number>;
  readonly mend: boolean;
}

/** `inexact` when a row holds an integer that lost digits when it was parsed. */
function encode(entries: readonly unknown[], context: Context): { encoded: EncodedEntries; inexact: boolean } {
  const check = new EntryCheck();
  let text = "";
  let rejected = 0;
  let inexact = false;
  for (let index = 0; index < entries.length; index++) {
    check.begin(index);
    const row = encodeOne(entries[index], index, context, check);
    if (check.faulty) rejected += 1;
    else {
      text += row;
      inexact ||= check.inexact;
    }
  }
  if (rejected > 0 && !context.options.lenient) throw refusal(rejected, entries.length, check.places);
  return {
    encoded: { rows: Buffer.from(text), count: entries.length - rejected, rejected, errors: check.places },
    inexact,
  };
}

function encodeOne(value: unknown, index: number, context: Context, check: EntryCheck): string {
  if (!isObject(value)) {
    check.fault("", "must be an object");
    return "";
  }
  if (context.oversized.has(index)) {
    check.fault("", `is larger than ${INGEST_ENTRY_BYTES_MAX} bytes`);
    return "";
  }
  const entry = context.mend ? (wellFormed(value, 0) as JsonObject) : value;
  const row = ROW_OF[context.type](entry, context.options.projectId ?? undefined, check);
  // A nesting that is too deep to be written is a fault already.
  return check.faulty ? "" : `${JSON.stringify(row)}\n`;
}

/** Only a body larger than an entry may be can have one that is too large, or be deep enough to cost. */
function oversizedIn(body: Buffer): ReadonlySet<number> {
  if (body.length <= INGEST_ENTRY_BYTES_MAX) return new Set();
  const { elements, oversized, tooDeep } = outline(body);
  if (tooDeep) throw new Problem("invalid_body", "cannot read the body: it is nested too deeply");
  if (elements > INGEST_ENTRIES_MAX) throw tooMany();
  return oversized;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw notJson(error);
  }
}

/** Slower by far, and only for bodies with integers that a double can't hold. */
function parseExactly(text: string): unknown {
  try {
    return exactJson.parse(text, (_key, value, { source }) => {
      if (typeof value !== "number" || Number.isSafeInteger(value) || source === undefined) return value;
      if (!/^-?[0-9]{1,20}$/.test(source)) return value;
      const exact = BigInt(source);
      return exact >= INTEGER_MIN && exact <= INTEGER_MAX ? exactJson.rawJSON(source) : value;
    });
  } catch (error) {
    throw notJson(error);
  }
}

function notJson(error: unknown): Problem {
  const at = /position (\d+)/.exec(error instanceof Error ? error.message : "")?.[1];
  const where = at === undefined ? "" : ` (at character ${at})`;
  return new Problem("invalid_body", `cannot read the body: it is not valid JSON${where}`);
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

function tooMany(): Problem {
  return wrongEnvelope("/entries", `has more than ${INGEST_ENTRIES_MAX} elements; send them in several requests`);
}

function wrongEnvelope(pointer: string, detail: string): Problem {
  const place = pointer === "" ? "the body" : pointer;
  return new Problem("invalid_body", `cannot take the entries: ${place} ${detail}`, { errors: [{ pointer, detail }] });
}

function refusal(bad: number, all: number, errors: readonly ProblemPlace[]): Problem {
  const detail = `cannot take the entries: ${bad} of ${all} are not valid, so none was taken; mend them and send the request again`;
  return new Problem("invalid_body", detail, { errors });
}

/** The value with every lone surrogate replaced by U+FFFD, in keys too; of keys that become the same the last counts. */
function wellFormed(value: unknown, depth: number): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value !== "object" || value === null || depth > MEND_DEPTH_MAX || exactJson.isRawJSON(value)) return value;
  if (Array.isArray(value)) return value.map((member) => wellFormed(member, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name.toWellFormed(), wellFormed(member, depth + 1)]),
  );
}
