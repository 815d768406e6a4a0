import { join } from "node:path";
import { isId } from "#kernel/ids.ts";

/**
 * The tree on disk, under the data directory:
 *
 * ```
 * objects/
 *   store-id                     names the directory in the metadata store; made once
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

/** `ab/blob_…ab`: where a blob is, relative to `blobs`, on disk and in a bucket. */
export function blobPath(id: string): string {
  if (!isId("blob", id)) throw new Error(`${JSON.stringify(id)} is no blob's identifier`);
  return `${id.slice(-2)}/${id}`;
}

/** The blob whose place a path is, or undefined when it is none's. */
export function blobAt(path: string): string | undefined {
  const id = path.slice(3);
  return isId("blob", id) && blobPath(id) === path ? id : undefined;
}
