import { INGEST_BODY_BYTES_MAX, INGEST_ENTRIES_MAX, INGEST_ENTRY_BYTES_MAX } from "#kernel/limits.ts";
import { Problem, type ProblemPlace } from "#kernel/problem.ts";
import type { RefusedReason } from "#domain/refused-entries/index.ts";
import type { TelemetryType } from "#stores/telemetry/index.ts";
import { exactJson, parseExact } from "#kernel/json-text.ts";
import { type EntryCheck, type EntryLimits, isObject, type JsonObject } from "./check.ts";
import { hasNumberNames, marked, unmarked } from "./order.ts";
import { ROW_OF } from "./rows.ts";

/** Options for both forms of a body, a JSON object and lines of JSON. */

export interface EncodeOptions extends EntryLimits {
  /** The project of the credential that sent the entries, or null. */
  readonly projectId: string | null;
  /** Accept the valid entries and report the others, instead of refusing all of them (RFC 7240 `handling=lenient`). */
  readonly lenient: boolean;
}

export interface EncodedEntries {
  /** NDJSON, one entry in each line, as in `Batch.rows`. */
  readonly rows: Buffer;
  readonly count: number;
  /** The number of entries left out; 0 unless `lenient`. */
  readonly rejected: number;
  /** The first 20 faults of the entries left out. */
  readonly errors: ProblemPlace[];
  /** The entries left out, by reason. */
  readonly refused?: readonly RefusedReason[] | undefined;
  /** Entries that were stored without some of their members, if their protocol allows that. */
  readonly cut?: Cut;
}

/** Members that were left out of accepted entries. */
export interface Cut {
  readonly entries: number;
  /** The first 20. */
  readonly places: ProblemPlace[];
}

export interface EntryContext {
  readonly type: TelemetryType;
  readonly options: EncodeOptions;
  /** Whether the text may contain strings that are not well-formed. */
  readonly mend: boolean;
}

/** A string that is not well-formed can only come from such an escape. */
export const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;

/** Deeper objects stay unchanged, since `EntryCheck` refuses them. */
const MEND_DEPTH_MAX = 64;

/**
 * Returns the row of an entry, with the line's end. Reports faults to `check`; after a fault the result must not be
 * used.
 */
export function encodeEntry(value: unknown, context: EntryContext, check: EntryCheck): string {
  if (!isObject(value)) {
    check.fault("", "must be an object");
    return "";
  }
  const entry = context.mend ? (wellFormed(value, 0) as JsonObject) : value;
  const row = ROW_OF[context.type](entry, context.options.projectId ?? undefined, check);
  if (!check.faulty) return lineOf(row, check);
  check.keepSample(value);
  return "";
}

/**
 * Writes a row as a line. Attributes with a fraction that a double can't hold become a string of their JSON, which
 * readers of the log unpack.
 */
export function lineOf(row: object, { hasLongFraction }: Pick<EntryCheck, "hasLongFraction">): string {
  if (!hasLongFraction) return `${unmarked(JSON.stringify(row))}\n`;
  const { attributes } = row as { readonly attributes?: unknown };
  return `${JSON.stringify({ ...row, attributes: unmarked(JSON.stringify(attributes)) })}\n`;
}

export function noteOversized(check: EntryCheck): void {
  check.fault("", `is larger than ${INGEST_ENTRY_BYTES_MAX} bytes`, "too_large");
}

/** Parses JSON and keeps every number and the order of members as they were sent. @throws SyntaxError */
export function parseOrdered(text: string): unknown {
  const ordered = hasNumberNames(text) ? marked(text) : text;
  return parseExact(ordered);
}

/** Returns ` (at character 17)`, or an empty text if the parser gives no position. */
export function whereNotJson(error: unknown): string {
  const at = /position (\d+)/.exec(error instanceof Error ? error.message : "")?.[1];
  return at === undefined ? "" : ` (at character ${at})`;
}

/** @throws Problem `body_too_large` */
export function refuseTooLarge(body: Buffer): void {
  if (body.length <= INGEST_BODY_BYTES_MAX) return;
  const detail = `cannot take a body of more than ${INGEST_BODY_BYTES_MAX} bytes; send fewer entries at a time`;
  throw new Problem("body_too_large", detail);
}

export function tooMany(): Problem {
  return wrongEnvelope("/entries", `has more than ${INGEST_ENTRIES_MAX} elements; send them in several requests`);
}

export function wrongEnvelope(pointer: string, detail: string): Problem {
  const place = pointer === "" ? "the body" : pointer;
  return new Problem("invalid_body", `cannot take the entries: ${place} ${detail}`, { errors: [{ pointer, detail }] });
}

/** All entries are refused, because some are not valid. */
export class EntriesRefused extends Problem {
  /** The entries that are not valid, by reason. */
  readonly refused: readonly RefusedReason[];

  constructor(detail: string, errors: readonly ProblemPlace[], refused: readonly RefusedReason[]) {
    super("invalid_body", detail, { errors });
    this.refused = refused;
  }
}

export function refusal(bad: number, all: number, check: Pick<EntryCheck, "places" | "refused">): EntriesRefused {
  const detail = `cannot take the entries: ${bad} of ${all} are not valid, so none was stored; correct them and send the request again`;
  return new EntriesRefused(detail, check.places, check.refused ?? []);
}

/** Replaces every lone surrogate by U+FFFD, in keys too. If keys become equal, the last one counts. */
export function wellFormed(value: unknown, depth: number): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value !== "object" || value === null || depth > MEND_DEPTH_MAX || exactJson.isRawJSON(value)) return value;
  if (Array.isArray(value)) return value.map((member) => wellFormed(member, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name.toWellFormed(), wellFormed(member, depth + 1)]),
  );
}
