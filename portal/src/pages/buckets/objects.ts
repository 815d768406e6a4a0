import type { BUCKET_ROUTES, ResultOf } from "@mooring/contract";
import { shellWord } from "../../kit/shell.ts";

export type Bucket = ResultOf<typeof BUCKET_ROUTES.getBucket>;
export type ObjectDetail = ResultOf<typeof BUCKET_ROUTES.getObject>;
type ObjectLine = ResultOf<typeof BUCKET_ROUTES.listObjects>["items"][number];
type VersionLine = ResultOf<typeof BUCKET_ROUTES.listObjectVersions>["items"][number];

/** A row of the page: a folder, an object, or a version of one. */
export type Line = ObjectLine | VersionLine;

export const DELIMITER = "/";
const KEY_BYTES_MAX = 1024;

/**
 * The state of a bucket's page in its address. Keys and prefixes begin with a slash there, so that one like a number
 * stays a text.
 */
export interface ObjectSearch extends Record<string, string | boolean | undefined> {
  /** The folder. */
  at: string | undefined;
  /** The beginning of the shown names. */
  q: string | undefined;
  /** The open object. */
  object: string | undefined;
  /** Its version, when not the present one. */
  version: string | undefined;
  /** Old versions and deleted objects are listed, too. */
  versions: boolean | undefined;
  /** Bytes by prefix are shown. */
  bytes: boolean | undefined;
}

/** A key as the address has it. */
export const inAddress = (key: string): string => `/${key}`;

export function fromAddress(text: string | undefined): string | undefined {
  return text?.startsWith("/") === true ? text.slice(1) : undefined;
}

export interface Crumb {
  /** The text between two slashes; may be empty. */
  readonly title: string;
  readonly prefix: string;
}

/** The folders that lead to a prefix, the prefix last. */
export function crumbsOf(prefix: string): Crumb[] {
  const parts = prefix.split(DELIMITER).slice(0, -1);
  return parts.map((title, i) => ({ title, prefix: `${parts.slice(0, i + 1).join(DELIMITER)}${DELIMITER}` }));
}

/** A key or common prefix without the folder that it is in. */
export function nameIn(key: string, prefix: string): string {
  return key.startsWith(prefix) ? key.slice(prefix.length) : key;
}

/** Identifies a row. */
export function idOf(line: Line): string {
  return `${line.kind} ${"version_id" in line ? (line.version_id ?? "") : ""} ${line.key}`;
}

/** Why nothing can have this key; undefined when it can. */
export function keyFault(key: string): string | undefined {
  const bytes = new TextEncoder().encode(key).length;
  return bytes > KEY_BYTES_MAX ? `its key has ${bytes} bytes; ${KEY_BYTES_MAX} is the most` : undefined;
}

/** How to get one object, and to put something in its place, from a terminal. */
export function objectCommands(endpoint: string, bucket: string, key: string): string[] {
  const uri = shellWord(`s3://${bucket}/${key}`);
  const name = shellWord(`./${key.split(DELIMITER).findLast((part) => part !== "" && part !== "..") ?? "object"}`);
  return [
    `aws --endpoint-url ${endpoint} s3 cp ${uri} ${name}`,
    `rclone copyto ${shellWord(`mooring:${bucket}/${key}`)} ${name}`,
  ];
}

/** How to upload below a prefix from a terminal. */
export function uploadCommand(endpoint: string, bucket: string, prefix: string): string {
  return `aws --endpoint-url ${endpoint} s3 cp ./report.csv ${shellWord(`s3://${bucket}/${prefix}`)}`;
}

/** Bytes by the next part of the key, the largest first. */
export function bytesStatement(bucket: string, prefix: string): { sql: string; parameters: Record<string, string> } {
  return {
    sql: `SELECT regexp_extract(substr(key, length($prefix) + 1), '^[^/]*/?') AS part, count(*) AS objects, sum(size_bytes) AS bytes
FROM objects
WHERE bucket = $bucket AND is_latest AND NOT is_delete_marker AND starts_with(key, $prefix)
GROUP BY part ORDER BY bytes DESC LIMIT 20`,
    parameters: { bucket, prefix },
  };
}

/** `Message` of the gateway's error document; undefined when it is none. */
export function gatewayMessage(xml: string): string | undefined {
  const text = /<Message>([^<]*)<\/Message>/.exec(xml)?.[1];
  return text
    ?.replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&apos;", "'")
    .replaceAll("&amp;", "&");
}
