import { SQL_DEPTH_MAX } from "../settings.ts";

/** A part of a statement that is not allowed. The gate turns it into the answer `sql_not_allowed`. */
export class Refusal extends Error {
  /** The offset in bytes of the refused part, if known. */
  at: number | undefined;

  /** `what` completes "the statement uses …". `instead` names the allowed alternative. */
  constructor(what: string, instead = "only reading statements over the documented tables are allowed") {
    super(`the statement uses ${what}, which is not allowed; ${instead}`);
    this.name = "Refusal";
  }
}

export function tooDeep(): Refusal {
  const what = `more than ${SQL_DEPTH_MAX} levels of nesting`;
  return new Refusal(what, "use fewer levels, for example with a list and IN");
}

/** A statement that cannot be parsed, or names a missing object. */
export class SyntaxFault extends Error {
  /** The offset in bytes of the fault. */
  at: number | undefined;

  constructor(message: string, at?: number) {
    super(message);
    this.name = "SyntaxFault";
    this.at = at;
  }
}

export type Json = Readonly<Record<string, unknown>>;

/** Returns the text of a member, or an empty text. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
