import { S3Error } from "../errors.ts";
import type { WriteConditions } from "../types/index.ts";

/** The current object, or none (a delete marker counts as none). */
type Present = { readonly etag: string; readonly size: number; readonly modified_at: number } | undefined;

/**
 * Checks the preconditions of RFC 9110 section 13.1 with S3's answers.
 * @throws S3Error `PreconditionFailed`, `NoSuchKey`
 */
export function requireConditions(present: Present, conditions: WriteConditions | undefined, key: string): void {
  if (conditions === undefined) return;
  const { ifMatch, ifNoneMatch, ifSize, ifModifiedAtMs } = conditions;
  if (ifNoneMatch !== undefined && present !== undefined && (ifNoneMatch === "*" || ifNoneMatch.includes(present.etag)))
    throw failed("If-None-Match");
  if (ifMatch !== undefined) {
    if (present === undefined) throw new S3Error("NoSuchKey", undefined, { fields: { Key: key } });
    if (ifMatch !== "*" && !ifMatch.includes(present.etag)) throw failed("If-Match");
  }
  if (ifSize !== undefined && present?.size !== ifSize) throw failed("x-amz-if-match-size");
  if (ifModifiedAtMs !== undefined && secondsOf(present?.modified_at) !== secondsOf(ifModifiedAtMs))
    throw failed("x-amz-if-match-last-modified-time");
}

function secondsOf(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.floor(ms / 1000);
}

function failed(condition: string): S3Error {
  return new S3Error("PreconditionFailed", undefined, { fields: { Condition: condition } });
}
