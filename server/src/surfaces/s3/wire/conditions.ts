import { S3Error, type ObjectVersion, type WriteConditions } from "#domain/s3/index.ts";
import type { Fields } from "./fields.ts";
import { quoted, unquoted } from "./etag.ts";
import { httpTime } from "./text.ts";
import { S3Refusal } from "./refusal.ts";

/** ETags of a condition, without quotation marks. */
function etagsOf(list: string): readonly string[] | "*" {
  return list.trim() === "*" ? "*" : list.split(",").map(unquoted);
}

function names(list: string, etag: string): boolean {
  const etags = etagsOf(list);
  return etags === "*" || etags.includes(etag);
}

/** Reads the conditions of a write. @throws S3Error `NotImplemented` for conditions that S3 does not have either */
export function writeConditions(fields: Fields): WriteConditions {
  const [match, noneMatch] = [fields.list("if-match"), fields.list("if-none-match")];
  return {
    ...(match === undefined ? {} : { ifMatch: etagsOf(match) }),
    ...(noneMatch === undefined ? {} : { ifNoneMatch: etagsOf(noneMatch) }),
  };
}

/** Reads the conditions of a deletion. */
export function deleteConditions(fields: Fields): WriteConditions {
  const [time, size] = [fields.get("x-amz-if-match-last-modified-time"), fields.get("x-amz-if-match-size")];
  const ms = time === undefined ? undefined : Date.parse(time);
  return {
    ...writeConditions(fields),
    ...(ms === undefined || Number.isNaN(ms) ? {} : { ifModifiedAtMs: ms }),
    ...(size === undefined || !/^[0-9]+$/.test(size) ? {} : { ifSize: Number(size) }),
  };
}

type Validators = Pick<ObjectVersion, "etag" | "modifiedAtMs">;

/**
 * Checks the preconditions of a read in the order of RFC 9110 section 13.2.2.
 * @param prefix of the fields: `x-amz-copy-source-` for the source of a copy
 * @throws S3Error `PreconditionFailed`, `NotModified`
 */
export function requireReadConditions(fields: Fields, version: Validators, prefix = ""): void {
  const { etag, modifiedAtMs } = version;
  const modifiedS = Math.floor(modifiedAtMs / 1000);
  const match = fields.list(`${prefix}if-match`);
  const unmodifiedS = secondsOf(fields.get(`${prefix}if-unmodified-since`));
  if (match === undefined) {
    if (unmodifiedS !== undefined && modifiedS > unmodifiedS) throw failed("If-Unmodified-Since");
  } else if (!names(match, etag)) throw failed("If-Match");
  const noneMatch = fields.list(`${prefix}if-none-match`);
  const modifiedSinceS = secondsOf(fields.get(`${prefix}if-modified-since`));
  const isKnown =
    noneMatch === undefined ? modifiedSinceS !== undefined && modifiedS <= modifiedSinceS : names(noneMatch, etag);
  if (!isKnown) return;
  if (prefix !== "") throw failed(noneMatch === undefined ? "If-Modified-Since" : "If-None-Match");
  throw new S3Refusal("NotModified", undefined, { etag: quoted(etag), "last-modified": httpTime(modifiedAtMs) });
}

function failed(condition: string): S3Error {
  return new S3Error("PreconditionFailed", "At least one of the pre-conditions you specified did not hold", {
    fields: { Condition: condition },
  });
}

function secondsOf(date: string | undefined): number | undefined {
  const ms = date === undefined ? Number.NaN : Date.parse(date);
  return Number.isNaN(ms) ? undefined : Math.floor(ms / 1000);
}

/** A range of bytes. `end` is excluded. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Returns the requested range; undefined for all of the content, also for several ranges or an unknown form.
 * @throws S3Error `InvalidRange`
 */
export function rangeOf(fields: Fields, version: Validators & Pick<ObjectVersion, "size">): Span | undefined {
  const range = fields.get("range");
  if (range === undefined || !ifRangeHolds(fields.get("if-range"), version)) return undefined;
  return spanOf(range, version.size);
}

/**
 * Parses a range like `bytes=0-9`.
 * @throws S3Error `InvalidRange`
 */
export function spanOf(range: string, size: number): Span | undefined {
  const [, first, last] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(range) ?? [];
  if (first === undefined || last === undefined || (first === "" && last === "")) return undefined;
  if (first === "") {
    const length = Math.min(Number(last), size);
    if (length === 0) throw unsatisfiable(range, size);
    return { start: size - length, end: size };
  }
  const start = Number(first);
  if (last !== "" && Number(last) < start) return undefined;
  if (start >= size) throw unsatisfiable(range, size);
  return { start, end: last === "" ? size : Math.min(Number(last) + 1, size) };
}

function unsatisfiable(range: string, size: number): S3Error {
  const headers = { "content-range": `bytes */${size}` };
  return new S3Refusal("InvalidRange", "The requested range is not satisfiable", headers, {
    fields: { ActualObjectSize: String(size), RangeRequested: range.slice(0, 200) },
  });
}

function ifRangeHolds(value: string | undefined, { etag, modifiedAtMs }: Validators): boolean {
  if (value === undefined) return true;
  const seconds = value.includes('"') ? undefined : secondsOf(value);
  return seconds === undefined ? unquoted(value) === etag : seconds === Math.floor(modifiedAtMs / 1000);
}
