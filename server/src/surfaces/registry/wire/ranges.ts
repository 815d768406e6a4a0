import type { IncomingHttpHeaders } from "node:http";
import { RegistryError } from "#domain/registry/index.ts";
import { RegistryRefusal } from "../refusal.ts";

/** Half-open. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Returns the requested range of a blob; undefined for all of it, also for several ranges.
 * @throws RegistryError with 416, also for a range that ends before it begins: the conformance suite expects that
 */
export function rangeOf(headers: IncomingHttpHeaders, size: number, etag: string): Span | undefined {
  const { range } = headers;
  const ifRange = headers["if-range"];
  if (range === undefined || (ifRange !== undefined && ifRange !== etag)) return undefined;
  const [, first, last] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(range) ?? [];
  if (first === undefined || last === undefined || (first === "" && last === "")) return undefined;
  if (first === "") {
    const length = Math.min(Number(last), size);
    if (length === 0) throw unsatisfiable(size);
    return { start: size - length, end: size };
  }
  const start = Number(first);
  if (start >= size || (last !== "" && Number(last) < start)) throw unsatisfiable(size);
  return { start, end: last === "" ? size : Math.min(Number(last) + 1, size) };
}

function unsatisfiable(size: number): RegistryError {
  return new RegistryRefusal("SIZE_INVALID", `the blob has ${size} bytes`, {
    status: 416,
    headers: { "content-range": `bytes */${size}` },
  });
}

/**
 * Returns the start of a chunk. `Content-Range` is `<first>-<last>` here, both inclusive.
 * @throws RegistryError `BLOB_UPLOAD_INVALID`, `SIZE_INVALID`
 */
export function chunkStart(headers: IncomingHttpHeaders): number | undefined {
  const field = headers["content-range"];
  if (field === undefined) return undefined;
  const [, first, last] = /^(?:bytes )?(\d{1,15})-(\d{1,15})$/.exec(field) ?? [];
  if (first === undefined || last === undefined || Number(last) < Number(first))
    throw new RegistryError("BLOB_UPLOAD_INVALID", "Content-Range must be the first and the last byte: 0-1023");
  const length = headers["content-length"];
  if (length !== undefined && Number(length) !== Number(last) - Number(first) + 1)
    throw new RegistryError("SIZE_INVALID", "Content-Length is not the length of Content-Range");
  return Number(first);
}

/** Returns `Range` of an upload. An empty one has `0-0`, as in other registries. */
export function receivedField(received: number): string {
  return `0-${Math.max(0, received - 1)}`;
}
