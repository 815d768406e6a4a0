import { nearest } from "#kernel/nearest.ts";
import type { ChildProblemCode } from "../protocol.ts";
import { isObject, Refusal, SyntaxFault } from "../gate/index.ts";

/** The place of a failure: an offset in bytes, in the sent or in the rewritten statement. */
export interface Place {
  readonly at: number;
  readonly in: "sent" | "prepared";
  /** The missing column. */
  readonly column?: string | undefined;
}

/** A failure that is shown to the caller. */
export class Failure extends Error {
  readonly code: ChildProblemCode;
  /** True if the engine's state may be damaged. */
  readonly doubt: boolean;
  readonly place: Place | undefined;

  constructor(code: ChildProblemCode, detail: string, doubt = false, place?: Place) {
    super(detail);
    this.name = "Failure";
    this.code = code;
    this.doubt = doubt;
    this.place = place;
  }
}

interface EngineError {
  readonly type: string;
  readonly message: string;
  readonly at?: number | undefined;
  /** For an unknown column: its name, and the columns that exist. */
  readonly missing?: { readonly name: string; readonly candidates: readonly string[] } | undefined;
}

/** DuckDB's error types for a statement that is wrong with any data. */
const STATEMENT_ERRORS: ReadonlySet<string> = new Set([
  "Parser",
  "Syntax",
  "Binder",
  "Catalog",
  "Not implemented",
  "Parameter Not Resolved",
  "Parameter Not Allowed",
  "Expression",
  "Mismatch Type",
]);

/** Why the run was stopped from outside. Undefined: it was not stopped. */
export type Stop = "timeout" | "cancel" | undefined;

export const CANCELLED = "the query was cancelled";

/** Converts the error of a query into an answer. */
export function toFailure(error: unknown, stop: Stop, timeoutMs: number): Failure {
  if (stop === "timeout")
    return new Failure(
      "query_timeout",
      `the query ran longer than ${timeoutMs} ms; ask for less, for example a shorter time range, or raise timeout_ms`,
    );
  if (stop === "cancel") return new Failure("query_cancelled", CANCELLED, toFailure(error, undefined, timeoutMs).doubt);
  if (error instanceof Failure) return error;
  if (error instanceof Refusal) return new Failure("sql_not_allowed", error.message, false, sentAt(error.at));
  if (error instanceof SyntaxFault) return new Failure("invalid_sql", error.message, false, sentAt(error.at));
  return fromEngine(parseEngineError(error instanceof Error ? error.message : String(error)));
}

function sentAt(at: number | undefined): Place | undefined {
  return at === undefined ? undefined : { at, in: "sent" };
}

function fromEngine({ type, message, at, missing }: EngineError): Failure {
  if (type === "Out of Memory" || /bad_alloc|out of memory|Cannot allocate memory|allocation fail/i.test(message)) {
    return new Failure(
      "query_memory",
      "the query needs more memory than its limit; group or sort less at once, select fewer columns, or ask for a shorter time range",
    );
  }
  if (/longer than 0x1fffffe8|Invalid string length|Array buffer allocation/i.test(message)) {
    return new Failure(
      "query_too_large",
      "a value of the result is too long to be sent; shorten it, for example with left()",
    );
  }
  if (type === "Permission" || type === "IO" || type === "HTTP") {
    return new Failure(
      "unavailable",
      "the stored data could not be read; try again, and tell the operator if this continues",
    );
  }
  if (type === "Interrupt" || type === "INTERRUPT") return new Failure("query_failed", "the query was cancelled");
  if (/\bin file "|while reading file|parquet file/i.test(message)) {
    return new Failure("unavailable", "a part of the stored data could not be read; tell the operator");
  }
  if (/^(internal|fatal)$/i.test(type)) {
    return new Failure("query_failed", "the query engine failed on this statement; write it in another way", true);
  }
  const place = at === undefined ? undefined : ({ at, in: "prepared", column: missing?.name } as const);
  const text = missing === undefined ? message : absent(missing);
  return new Failure(STATEMENT_ERRORS.has(type) ? "invalid_sql" : "query_failed", readable(type, text), false, place);
}

function absent({ name, candidates }: NonNullable<EngineError["missing"]>): string {
  const meant = nearest(name, candidates);
  return `column "${name}" not found${meant === undefined ? "" : `; did you mean "${meant}"?`}`;
}

/** Advice of the engine that a caller cannot follow here. */
const UNFOLLOWABLE = /\b(?:SET|RESET|PRAGMA|INSTALL|LOAD|ATTACH) +["'\w]|duckdb\.org|extension/;

function readable(type: string, message: string): string {
  const text = message
    .replace(/\n*LINE \d+:[\s\S]*$/, "")
    .split(/(?<=[.!?])\s+(?=[A-Z])|\n+/)
    .filter((sentence, i) => i === 0 || !UNFOLLOWABLE.test(sentence))
    .join("\n")
    .replace(/ when casting from source column attribute_[0-9a-f]+/, "") // without the columns of promoted attributes
    .trim();
  return type === "" ? text : `${text} (${type.toLowerCase()} error)`;
}

/** Parses the errors of `errors_as_json`: `{"exception_type":…,"exception_message":…}`, sometimes after a prefix. */
function parseEngineError(text: string): EngineError {
  const start = text.indexOf("{");
  try {
    const parsed: unknown = JSON.parse(text.slice(start));
    if (isObject(parsed) && "exception_type" in parsed && "exception_message" in parsed) {
      const { position, name, candidates, error_subtype: subtype } = parsed;
      const at = /^\d+$/.test(String(position)) ? Number(position) : undefined;
      const missing =
        subtype === "COLUMN_NOT_FOUND" && typeof name === "string"
          ? {
              name,
              candidates: (typeof candidates === "string" ? candidates : "").split(",").filter((each) => each !== ""),
            }
          : undefined;
      return { type: String(parsed["exception_type"]), message: String(parsed["exception_message"]), at, missing };
    }
  } catch {
    // errors of the binding, and errors before the setting applies, are not JSON
  }
  const plain = /^([A-Z][A-Za-z ]+?) Error: ([\s\S]*)$/.exec(text);
  return plain === null ? { type: "", message: text } : { type: plain[1] ?? "", message: plain[2] ?? "" };
}
