import type { ChildProblemCode } from "../protocol.ts";
import { Refusal, SyntaxFault } from "../gate/index.ts";

/** A failure that is an answer. */
export class Failure extends Error {
  readonly code: ChildProblemCode;
  /** The engine's state may be damaged. */
  readonly doubt: boolean;

  constructor(code: ChildProblemCode, detail: string, doubt = false) {
    super(detail);
    this.name = "Failure";
    this.code = code;
    this.doubt = doubt;
  }
}

interface EngineError {
  readonly type: string;
  readonly message: string;
}

/** DuckDB's kinds of error that mean: the statement itself is wrong, whatever the data. */
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

/** Why the run was stopped from outside, if it was. */
export type Stop = "timeout" | "cancel" | undefined;

/** Turns whatever a query threw into an answer. */
export function toFailure(error: unknown, stop: Stop, timeoutMs: number): Failure {
  if (stop === "timeout")
    return new Failure(
      "query_timeout",
      `the query ran longer than ${timeoutMs} ms; ask for less, for example a shorter time range, or raise timeout_ms`,
    );
  if (error instanceof Failure) return error;
  if (error instanceof Refusal) return new Failure("sql_not_allowed", error.message);
  if (error instanceof SyntaxFault) return new Failure("invalid_sql", error.message);
  return fromEngine(parseEngineError(error instanceof Error ? error.message : String(error)));
}

function fromEngine({ type, message }: EngineError): Failure {
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
      "the stored data could not be read; try again, and tell the operator if it goes on",
    );
  }
  if (type === "Interrupt" || type === "INTERRUPT") return new Failure("query_failed", "the query was cancelled");
  if (/\bin file "|while reading file|parquet file/i.test(message)) {
    return new Failure("unavailable", "a part of the stored data could not be read; tell the operator");
  }
  if (/^(internal|fatal)$/i.test(type)) {
    return new Failure("query_failed", "the query engine failed on this statement; write it in another way", true);
  }
  return new Failure(STATEMENT_ERRORS.has(type) ? "invalid_sql" : "query_failed", readable(type, message));
}

function readable(type: string, message: string): string {
  const text = message
    .replace(/\n+(?:Use|Consider) "?SET [^\n]*/gi, "")
    .replace(/\n*LINE \d+:[\s\S]*$/, "")
    .replace(/ when casting from source column attribute_[0-9a-f]+/, "") // of a promoted attribute: no column of theirs
    .trim();
  return type === "" ? text : `${text} (${type.toLowerCase()} error)`;
}

/** `errors_as_json` gives `{"exception_type":…,"exception_message":…}`, at times behind a prefix. */
function parseEngineError(text: string): EngineError {
  const start = text.indexOf("{");
  try {
    const parsed: unknown = JSON.parse(text.slice(start));
    if (typeof parsed === "object" && parsed !== null && "exception_type" in parsed && "exception_message" in parsed) {
      return { type: String(parsed.exception_type), message: String(parsed.exception_message) };
    }
  } catch {
    // not in JSON: errors raised before the setting applies, and those of the binding
  }
  const plain = /^([A-Z][A-Za-z ]+?) Error: ([\s\S]*)$/.exec(text);
  return plain === null ? { type: "", message: text } : { type: plain[1] ?? "", message: plain[2] ?? "" };
}
