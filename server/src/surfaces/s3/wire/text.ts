import { S3Error, type S3Owner } from "#domain/s3/index.ts";
import { isoFromMs } from "#kernel/time.ts";
import { uriEncodedPath } from "./target.ts";

/** Cuts the time to seconds, because clients compare it with `Last-Modified`. */
export function xmlTime(ms: number): string {
  return isoFromMs(Math.floor(ms / 1000) * 1000);
}

export function httpTime(ms: number): string {
  return new Date(ms).toUTCString();
}

export function ownerElements(owner: S3Owner): { ID: string; DisplayName: string } {
  return { ID: owner.id, DisplayName: owner.displayName };
}

/** Returns the function that writes keys in a listing. @throws S3Error `InvalidArgument` */
export function keyWriter(encodingType: string | undefined): (key: string) => string {
  if (encodingType === undefined || encodingType === "") return (key) => key;
  if (encodingType.toLowerCase() !== "url") throw invalidArgument("encoding-type", encodingType, "must be url");
  return uriEncodedPath;
}

export function invalidArgument(name: string, value: string, rule: string): S3Error {
  return new S3Error("InvalidArgument", `${name} ${rule}.`, {
    fields: { ArgumentName: name, ArgumentValue: value.slice(0, 200) },
  });
}

/** Parses a page size from 0 to 1,000; larger values become 1,000. @throws S3Error `InvalidArgument` */
export function pageMax(name: string, value: string | undefined, max = 1000): number {
  if (value === undefined || value === "") return max;
  if (!/^[0-9]{1,10}$/.test(value) || Number(value) > 2 ** 31 - 1)
    throw invalidArgument(name, value, "must be a whole number from 0 to 2147483647");
  return Math.min(Number(value), max);
}
