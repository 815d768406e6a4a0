import { join } from "node:path";
import { isId } from "#kernel/ids.ts";

/**
 * The tree on disk, under the data directory:
 *
 * ```
 * objects/
 *   store-id                     names the directory in the metadata store; created once
 *   lock                         held while a server has the directory open
 *   tmp/<blob id>                blobs that are being written; wiped at start
 *   blobs/<last two>/<blob id>   blobs that are complete, in up to 1,024 directories, by the last two characters of their random id
 * ```
 */
export interface Layout {
  readonly root: string;
  readonly storeId: string;
  readonly lock: string;
  readonly tmp: string;
  readonly blobs: string;
}

export function layoutOf(dataDir: string): Layout {
  const root = join(dataDir, "objects");
  return {
    root,
    storeId: join(root, "store-id"),
    lock: join(root, "lock"),
    tmp: join(root, "tmp"),
    blobs: join(root, "blobs"),
  };
}

const SHARD_CHARS = 2;

/** Returns the path of a blob relative to `blobs`, on disk and in a bucket: `ab/blob_…ab`. */
export function blobPath(id: string): string {
  if (!isId("blob", id)) throw new Error(`${JSON.stringify(id)} is not a blob's identifier`);
  return `${id.slice(-SHARD_CHARS)}/${id}`;
}

/** Returns an identifier that is stored in the same directory as another blob. */
export function blobPathBeside(id: string, other: string): string {
  return id.slice(0, -SHARD_CHARS) + other.slice(-SHARD_CHARS);
}

/** Returns the blob at a path, or undefined for another file. */
export function blobAt(path: string): string | undefined {
  const id = path.slice(SHARD_CHARS + 1);
  return isId("blob", id) && blobPath(id) === path ? id : undefined;
}
