import { S3Error } from "#domain/s3/index.ts";
import { isoFromMs } from "#kernel/time.ts";
import type { Fields } from "../wire/fields.ts";

const SKEW_MS = 15 * 60 * 1000;

/** Returns the milliseconds of `YYYYMMDDTHHMMSSZ`; undefined for other text. */
export function msOfBasicDate(text: string): number | undefined {
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text) ?? [];
  if (second === undefined) return undefined;
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(ms) ? undefined : ms;
}

export function basicDateOf(ms: number): string {
  return isoFromMs(ms).replace(/[-:]|\.\d{3}/g, "");
}

/**
 * Returns the time that a header-signed request states: `x-amz-date`, or else `Date`.
 * @throws S3Error `AccessDenied`
 */
export function signingTimeOf(fields: Fields): number {
  const amzDate = fields.get("x-amz-date");
  const date = amzDate ?? fields.get("date");
  const ms = date === undefined ? undefined : (msOfBasicDate(date) ?? msOfHttpDate(date));
  if (ms !== undefined && ms >= 0) return ms;
  throw new S3Error("AccessDenied", "A signed request needs a valid x-amz-date or Date header.");
}

function msOfHttpDate(text: string): number | undefined {
  const ms = Date.parse(text);
  return Number.isNaN(ms) || !/[A-Za-z]{3}/.test(text) ? undefined : ms;
}

/** @throws S3Error `RequestTimeTooSkewed` */
export function requireNear(requestMs: number, nowMs: number): void {
  if (Math.abs(requestMs - nowMs) <= SKEW_MS) return;
  const fields = {
    RequestTime: basicDateOf(requestMs),
    ServerTime: isoFromMs(nowMs).replace(/\.\d{3}/, ""),
    MaxAllowedSkewMilliseconds: String(SKEW_MS),
  };
  throw new S3Error("RequestTimeTooSkewed", undefined, { fields });
}

/** @throws S3Error `AccessDenied` when a presigned URL is not valid yet, or has expired */
export function requireWithin(startMs: number, lifetimeS: number, nowMs: number): void {
  const endMs = startMs + lifetimeS * 1000;
  const fields = {
    "X-Amz-Expires": String(lifetimeS),
    Expires: new Date(endMs).toISOString(),
    ServerTime: isoFromMs(nowMs),
  };
  if (startMs > nowMs + SKEW_MS) throw new S3Error("AccessDenied", "Request is not valid yet.", { fields });
  if (nowMs >= endMs) throw new S3Error("AccessDenied", "Request has expired.", { fields });
}
