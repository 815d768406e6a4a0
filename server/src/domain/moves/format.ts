import { createHash } from "node:crypto";
import type { Archive, ArchivedFile, Chunks } from "#stores/archive/index.ts";
import type { MovePart } from "./parts/part.ts";

/**
 * An export, in a directory or under a prefix of a bucket:
 *
 * ```
 * export.json                          names the organization; written first
 * records/<table>.ndjson               rows: settings, members, credentials, audit log, webhook events, …
 * records/telemetry_file.ndjson        descriptions of the Parquet files
 * contents.ndjson                      each content, with its file, size and digest
 * telemetry/<type>/<day>/<id>.parquet
 * files/<content>                      contents of files, by the `blob_id` of their rows
 * buckets/<content>                    contents of objects
 * events/<content>                     large bodies of webhook events
 * images/                              an OCI image layout with all images
 * secrets.json                         keys under the passphrase; only with one
 * files.ndjson                         every file with its size and SHA-256
 * manifest.json                        written last: without it, the export is not finished
 * ```
 */
export interface MoveManifest {
  readonly format: 1;
  /** Version of the product. */
  readonly version: string;
  /** The migrations of the records. Another server can read the rows if it has the same. */
  readonly schema: string;
  readonly organization: { readonly id: string; readonly slug: string; readonly name: string };
  /** Set for a part of an organization, which only a restore takes. */
  readonly part?: MovePart;
  readonly started_at: string;
  /** The moment of the records. Contents and telemetry are those that the records of this moment name. */
  readonly records_at: string;
  /** Telemetry that was acknowledged before this time is complete. */
  readonly telemetry_at: string;
  readonly finished_at: string;
  /** Whether it has the secrets, under a passphrase. */
  readonly secrets: boolean;
  /** Rows of each table. */
  readonly tables: Readonly<Record<string, number>>;
  /** Rows of each type. */
  readonly telemetry: Readonly<Record<string, number>>;
  readonly contents: number;
  readonly audit_head: { readonly seq: number; readonly hash: string } | null;
  readonly files: number;
  readonly bytes: number;
  readonly files_sha256: string;
  /** Tables that stay, with the reason. */
  readonly left_out: Readonly<Record<string, string>>;
}

export const EXPORT = "export.json";
export const MANIFEST = "manifest.json";
export const FILES = "files.ndjson";
export const CONTENTS = "contents.ndjson";
export const SECRETS = "secrets.json";
export const TELEMETRY = "records/telemetry_file.ndjson";
const JSON_BYTES_MAX = 4 * 1024 * 1024;
const NEWLINE = 0x0a;
const LINE_BYTES_MAX = 256 * 1024 * 1024;

export function recordsPath(table: string): string {
  return `records/${table}.ndjson`;
}

/** A content of the organization, in `contents.ndjson`. */
export interface Content {
  readonly blob: string;
  readonly owner: "organization" | "images";
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
}

export function* jsonText(value: unknown): Generator<Uint8Array> {
  yield Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
}

const BATCH_CHARS = 64 * 1024;

/** Yields a line for each value. */
export async function* jsonLines(values: AsyncIterable<unknown> | Iterable<unknown>): AsyncGenerator<Uint8Array> {
  let text = "";
  for await (const value of values) {
    text += `${JSON.stringify(value)}\n`;
    if (text.length < BATCH_CHARS) continue;
    yield Buffer.from(text);
    text = "";
  }
  if (text !== "") yield Buffer.from(text);
}

/** Returns a small JSON file, or undefined when it is missing. */
export async function readJson(archive: Archive, path: string): Promise<unknown> {
  const size = await archive.sizeOf(path);
  if (size === undefined) return undefined;
  if (size > JSON_BYTES_MAX) throw new Error(`${path} of the export is too large`);
  const chunks: Uint8Array[] = [];
  for await (const chunk of archive.read(path)) chunks.push(chunk);
  try {
    return JSON.parse(Buffer.concat(chunks).toString()) as unknown;
  } catch (error) {
    throw new Error(`${path} of the export is not JSON`, { cause: error });
  }
}

/** Yields the values of a file of lines. @throws Error at its end when it differs from its digest */
export async function* readLines(
  archive: Archive,
  { path, sha256 }: Pick<ArchivedFile, "path" | "sha256">,
): AsyncGenerator<unknown> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of verified(archive.read(path), { path, sha256 })) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      yield parsed(path, Buffer.concat([rest, chunk.subarray(from, end)]));
      rest = Buffer.alloc(0);
      from = end + 1;
    }
    rest = Buffer.concat([rest, chunk.subarray(from)]);
    if (rest.length > LINE_BYTES_MAX) throw altered(path);
  }
  if (rest.length > 0) throw altered(path);
}

function parsed(path: string, line: Buffer): unknown {
  try {
    return JSON.parse(line.toString()) as unknown;
  } catch {
    throw altered(path);
  }
}

/** Yields the chunks. @throws Error at the end when they differ from the digest */
export async function* verified(
  chunks: AsyncIterable<Uint8Array>,
  { path, sha256 }: Pick<ArchivedFile, "path" | "sha256">,
): AsyncGenerator<Uint8Array> {
  const hash = createHash("sha256");
  yield* hashing(chunks, hash);
  if (hash.digest("hex") !== sha256) throw altered(path);
}

async function* hashing(chunks: Chunks, hash: { update(chunk: Uint8Array): unknown }): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
}

export function altered(path: string): Error {
  return new Error(`${path} was altered: its checksum differs. Copy the export again`);
}

const PATH = /^(records|telemetry|files|buckets|events|images)\/[A-Za-z0-9_./-]+$/;
const SINGLE: readonly string[] = [EXPORT, CONTENTS, SECRETS];

/** Whether the path is one that an export may contain. */
export function isSafePath(path: string): boolean {
  if (SINGLE.includes(path)) return true;
  return PATH.test(path) && path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}
