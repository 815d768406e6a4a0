import type { IncomingHttpHeaders } from "node:http";
import { Problem } from "#kernel/problem.ts";
import { HttpProblem } from "#http/index.ts";

export interface Validators {
  /** A strong tag, with its quotes. */
  readonly etag: string;
  /** Whole seconds since the epoch. */
  readonly modifiedS: number;
}

/**
 * Evaluates preconditions in the order of RFC 9110 section 13.2.2. Returns whether the caller already has the content.
 * @throws Problem `precondition_failed`
 */
export function isNotModified(headers: IncomingHttpHeaders, validators: Validators): boolean {
  const { "if-match": ifMatch, "if-none-match": ifNoneMatch } = headers;
  if (ifMatch !== undefined) {
    if (!names(ifMatch, validators.etag, "strong")) throw failed("If-Match");
  } else {
    const unmodifiedS = secondsOf(headers["if-unmodified-since"]);
    if (unmodifiedS !== undefined && validators.modifiedS > unmodifiedS) throw failed("If-Unmodified-Since");
  }
  if (ifNoneMatch !== undefined) return names(ifNoneMatch, validators.etag, "weak");
  const modifiedS = secondsOf(headers["if-modified-since"]);
  return modifiedS !== undefined && validators.modifiedS <= modifiedS;
}

/** Half-open. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Returns the requested range (RFC 9110 section 14.2); undefined for all of the content, also for several ranges or an
 * unknown form, which section 14.2 lets a server ignore.
 * @throws Problem `range_not_satisfiable`
 */
export function rangeOf(headers: IncomingHttpHeaders, size: number, validators: Validators): Span | undefined {
  const { range } = headers;
  if (range === undefined || !ifRangeHolds(headers["if-range"], validators)) return undefined;
  const [, first, last] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(range) ?? [];
  if (first === undefined || last === undefined || (first === "" && last === "")) return undefined;
  if (first === "") {
    const length = Math.min(Number(last), size);
    if (length === 0) throw unsatisfiable(size);
    return { start: size - length, end: size };
  }
  const start = Number(first);
  if (last !== "" && Number(last) < start) return undefined;
  if (start >= size) throw unsatisfiable(size);
  return { start, end: last === "" ? size : Math.min(Number(last) + 1, size) };
}

/** The field holds only for a strong validator that equals ours (section 13.1.5). */
function ifRangeHolds(value: string | string[] | undefined, { etag, modifiedS }: Validators): boolean {
  if (value === undefined) return true;
  if (typeof value !== "string") return false;
  return value.includes('"') ? value.trim() === etag : secondsOf(value) === modifiedS;
}

function names(list: string, etag: string, comparison: "strong" | "weak"): boolean {
  if (list.trim() === "*") return true;
  const tags = list.match(/(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g) ?? [];
  return tags.some((tag) => tag === etag || (comparison === "weak" && tag === `W/${etag}`));
}

/** Undefined when it is not a date; then the field is ignored. */
function secondsOf(date: string | undefined): number | undefined {
  const ms = date === undefined ? Number.NaN : Date.parse(date);
  return Number.isNaN(ms) ? undefined : Math.floor(ms / 1000);
}

function failed(field: string): Problem {
  return new Problem("precondition_failed", `The content is not what ${field} names.`);
}

function unsatisfiable(size: number): Problem {
  return new HttpProblem("range_not_satisfiable", `The content has ${size} bytes.`, {
    "content-range": `bytes */${size}`,
  });
}
