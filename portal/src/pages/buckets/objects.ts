import type { BUCKET_ROUTES, ResultOf } from "@mooring/contract";
import { shellWord } from "../../kit/shell.ts";

export type Bucket = ResultOf<typeof BUCKET_ROUTES.getBucket>;
export type ObjectDetail = ResultOf<typeof BUCKET_ROUTES.getObject>;
type ObjectLine = ResultOf<typeof BUCKET_ROUTES.listObjects>["items"][number];
type VersionLine = ResultOf<typeof BUCKET_ROUTES.listObjectVersions>["items"][number];

/** A row of the page: a folder, an object, or a version of an object. */
export type Line = ObjectLine | VersionLine;

export const DELIMITER = "/";
const KEY_BYTES_MAX = 1024;

/**
 * The state of a bucket's page in its address. Keys and prefixes begin with a slash there, so that the router does not
 * parse digits as a number.
 */
export interface ObjectSearch extends Record<string, string | boolean | undefined> {
  /** The folder. */
  at: string | undefined;
  /** The prefix of the shown names. */
  q: string | undefined;
  /** The open object. */
  object: string | undefined;
  /** The version of the open object; undefined: the current one. */
  version: string | undefined;
  /** Whether old versions and deleted objects are listed. */
  versions: boolean | undefined;
  /** Whether bytes by prefix are shown. */
  bytes: boolean | undefined;
}

/** Returns a key in the form of the address. */
export const inAddress = (key: string): string => `/${key}`;

export function fromAddress(text: string | undefined): string | undefined {
  return text?.startsWith("/") === true ? text.slice(1) : undefined;
}

export interface Crumb {
  /** The text between two slashes; may be empty. */
  readonly title: string;
  readonly prefix: string;
}

/** Returns the folders of a prefix, the prefix last. */
export function crumbsOf(prefix: string): Crumb[] {
  const parts = prefix.split(DELIMITER).slice(0, -1);
  return parts.map((title, i) => ({ title, prefix: `${parts.slice(0, i + 1).join(DELIMITER)}${DELIMITER}` }));
}

/** Returns a key or common prefix without its folder. */
export function nameIn(key: string, prefix: string): string {
  return key.startsWith(prefix) ? key.slice(prefix.length) : key;
}

/** Returns the id of a row. */
export function idOf(line: Line): string {
  return `${line.kind} ${"version_id" in line ? (line.version_id ?? "") : ""} ${line.key}`;
}

/** Returns why a key is invalid, or undefined if it is valid. */
export function keyFault(key: string): string | undefined {
  const bytes = new TextEncoder().encode(key).length;
  return bytes > KEY_BYTES_MAX ? `its key has ${bytes} bytes, at most ${KEY_BYTES_MAX} are allowed` : undefined;
}

/** Returns the commands that download one object. */
export function objectCommands(endpoint: string, bucket: string, key: string): string[] {
  const uri = shellWord(`s3://${bucket}/${key}`);
  const name = shellWord(`./${key.split(DELIMITER).findLast((part) => part !== "" && part !== "..") ?? "object"}`);
  return [
    `aws --endpoint-url ${endpoint} s3 cp ${uri} ${name}`,
    `rclone copyto ${shellWord(`mooring:${bucket}/${key}`)} ${name}`,
  ];
}

/** Returns the command that uploads below a prefix. */
export function uploadCommand(endpoint: string, bucket: string, prefix: string): string {
  return `aws --endpoint-url ${endpoint} s3 cp ./report.csv ${shellWord(`s3://${bucket}/${prefix}`)}`;
}

/** Returns a statement for bytes by the next part of the key, largest first. */
export function bytesStatement(bucket: string, prefix: string): { sql: string; parameters: Record<string, string> } {
  return {
    sql: `SELECT regexp_extract(substr(key, length($prefix) + 1), '^[^/]*/?') AS part, count(*) AS objects, sum(size_bytes) AS bytes
FROM objects
WHERE bucket = $bucket AND is_latest AND NOT is_delete_marker AND starts_with(key, $prefix)
GROUP BY part ORDER BY bytes DESC LIMIT 20`,
    parameters: { bucket, prefix },
  };
}

/** Returns the `Message` of the gateway's error document, or undefined if there is none. */
export function gatewayMessage(xml: string): string | undefined {
  const text = /<Message>([^<]*)<\/Message>/.exec(xml)?.[1];
  return text
    ?.replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&apos;", "'")
    .replaceAll("&amp;", "&");
}
