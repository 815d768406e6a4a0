import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createInterface } from "node:readline";
import { readTextIfPresent } from "#stores/directory/index.ts";
import { isSafePath } from "./restore.ts";

/**
 * A backup of the form before repositories, which only restores read:
 *
 * ```
 * mooring-20261122T181500Z/
 *   backup.json     this manifest; written last, so a backup without it is not finished
 *   files.ndjson    each file with size and SHA-256
 *   data/           as in the data directory: mooring.db, telemetry/, objects/, and master.key on request
 * ```
 */
export interface DirectoryManifest {
  readonly format: 1;
  /** Version of the product. */
  readonly version: string;
  readonly started_at: string;
  /** Everything that was acknowledged before this time is in the backup. */
  readonly finished_at: string;
  readonly files: number;
  readonly bytes: number;
  /** Bytes that take no extra space, because the data directory links to the same files. */
  readonly linked_bytes: number;
  readonly files_sha256: string;
  readonly master_key: boolean;
  /** The id of the master key that opens the records. Null: there were no keys yet. Absent: an older version made it. */
  readonly master_key_id?: string | null;
  /** Contents in a bucket. They are not in the backup. */
  readonly blobs_elsewhere: number;
}

/** One file of `data/`. */
export interface ListedFile {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
}

const MANIFEST = "backup.json";
const FILES = "files.ndjson";
export const DATA = "data";

/**
 * Null: the manifest is missing, so the backup was not finished.
 * @throws Error when it is not a manifest of this product
 */
export async function readManifest(directory: string): Promise<DirectoryManifest | null> {
  const text = await readTextIfPresent(join(directory, MANIFEST));
  if (text === undefined) return null;
  const manifest = JSON.parse(text) as DirectoryManifest;
  if (manifest.format !== 1) throw new Error(`cannot read ${directory}: it was made by a newer version`);
  return manifest;
}

export async function sha256Of(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path, { highWaterMark: 1024 ** 2 }), hash);
  return hash.digest("hex");
}

/** @throws Error when the list was altered */
export async function* listedFiles(
  directory: string,
  { files_sha256: sha256 }: DirectoryManifest,
): AsyncGenerator<ListedFile> {
  const path = join(directory, FILES);
  if ((await sha256Of(path)) !== sha256) throw new Error(`${path} was altered: its checksum differs`);
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    const file = JSON.parse(line) as ListedFile;
    if (!isSafePath(file.path))
      throw new Error(`${path} names ${JSON.stringify(file.path)}, which is not a path of a backup`);
    yield file;
  }
}
