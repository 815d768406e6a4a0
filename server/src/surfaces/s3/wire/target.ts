import { S3Error } from "#domain/s3/index.ts";
import { decodePercent } from "#kernel/decoding.ts";

/** One decoded parameter of the query; `B` and `B=` are the same. */
export interface QueryParameter {
  readonly name: string;
  readonly value: string;
}

/** The target of a request, unchanged. */
export interface Target {
  /** Decoded once; signatures and storage both use it. Begins with `/`. */
  readonly path: string;
  /** In the order of the request. */
  readonly query: readonly QueryParameter[];
}

/**
 * Parses a request target in origin form (RFC 9112 section 3.2.1). Does not use a URL parser, because that would remove
 * `..` and `//`.
 * @throws S3Error `InvalidURI`
 */
export function parseTarget(raw: string): Target {
  if (!raw.startsWith("/")) throw new S3Error("InvalidURI", "The request target must be a path.");
  const mark = raw.indexOf("?");
  const path = percentDecoded(mark < 0 ? raw : raw.slice(0, mark));
  return { path, query: mark < 0 ? [] : parseQuery(raw.slice(mark + 1)) };
}

/** @throws S3Error `InvalidURI` */
export function parseQuery(raw: string): QueryParameter[] {
  return raw
    .split("&")
    .filter((part) => part !== "")
    .map((part) => {
      const equals = part.indexOf("=");
      const decoded = (text: string): string => percentDecoded(text.replaceAll("+", " "));
      if (equals < 0) return { name: decoded(part), value: "" };
      return { name: decoded(part.slice(0, equals)), value: decoded(part.slice(equals + 1)) };
    });
}

function percentDecoded(text: string): string {
  const decoded = decodePercent(text);
  if (decoded === undefined) throw new S3Error("InvalidURI", "The address is not valid percent-encoded UTF-8.");
  if (decoded.includes("\0")) throw new S3Error("InvalidURI", "The address has a NUL.");
  return decoded;
}

/** Encodes as Signature V4 requires: everything except `A-Z a-z 0-9 - . _ ~` becomes `%XX` in upper case. */
export function uriEncoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Encodes a path and keeps its slashes. */
export function uriEncodedPath(path: string): string {
  return uriEncoded(path).replaceAll("%2F", "/");
}

/** The bucket and the key that a path names. Both are empty for the service; the key is empty for a bucket. */
export interface Place {
  readonly bucket: string;
  readonly key: string;
}

/**
 * Returns virtual-host style if the host has labels before the domain; path style otherwise.
 * @param domain of buckets, for example `s3.example.com`; null: path style only
 */
export function placeOf(path: string, host: string | undefined, domain: string | null): Place {
  const bucket = bucketOfHost(host, domain);
  if (bucket !== undefined) return { bucket, key: path.slice(1) };
  const slash = path.indexOf("/", 1);
  if (slash < 0) return { bucket: path.slice(1), key: "" };
  return { bucket: path.slice(1, slash), key: path.slice(slash + 1) };
}

function bucketOfHost(host: string | undefined, domain: string | null): string | undefined {
  if (host === undefined || domain === null) return undefined;
  const name = host.toLowerCase().replace(/:[0-9]+$/, "");
  const suffix = `.${domain.toLowerCase()}`;
  return name.endsWith(suffix) && name.length > suffix.length ? name.slice(0, -suffix.length) : undefined;
}
