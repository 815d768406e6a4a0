import { S3Error } from "#domain/s3/index.ts";
import { decodePercent } from "#kernel/decoding.ts";

/** One parameter of the query, decoded; `B` and `B=` are the same. */
export interface QueryParameter {
  readonly name: string;
  readonly value: string;
}

/** The target of a request, as it arrived. */
export interface Target {
  /** Decoded once: what signatures and storage both work with. Begins with `/`. */
  readonly path: string;
  /** In the order in which they came. */
  readonly query: readonly QueryParameter[];
}

/**
 * Reads a request target in origin form (RFC 9112 section 3.2.1), never through a URL parser, which would take `..` and `//` away.
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

/** As Signature V4 wants it: everything but `A-Z a-z 0-9 - . _ ~` as `%XX` in upper case. */
export function uriEncoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** The same for a path, whose slashes stay. */
export function uriEncodedPath(path: string): string {
  return uriEncoded(path).replaceAll("%2F", "/");
}

/** The bucket and the key that a path names. Empty for the service, or for the bucket itself. */
export interface Place {
  readonly bucket: string;
  readonly key: string;
}

/**
 * Virtual-host style when the host is a label, or more of them, before the domain; path style otherwise.
 * @param domain of buckets, such as `s3.example.com`; null: path style only
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
