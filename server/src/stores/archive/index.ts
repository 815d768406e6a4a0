import { resolve } from "node:path";
import type { BucketAccess, BucketPlace } from "./bucket.ts";
import { DirectoryArchive } from "./directory.ts";
import type { Archive } from "./types.ts";

export { UNFINISHED, type Archive, type ArchivedFile, type ArchiveRange, type Chunks } from "./types.ts";
export type { BucketAccess } from "./bucket.ts";

const BUCKET = /^s3:\/\/([^/]+)(?:\/(.*?))?\/?$/;

/** Opens a directory, or `s3://BUCKET/PREFIX`. `access` is asked only for a bucket. @throws Error when it has no key */
export async function openArchive(place: string, access: () => BucketAccess): Promise<Archive> {
  const found = bucketPlace(place);
  if (found === undefined) return new DirectoryArchive(resolve(place));
  // The client loads slowly.
  return new (await import("./bucket.ts")).BucketArchive(found, access());
}

function bucketPlace(place: string): BucketPlace | undefined {
  if (!place.startsWith("s3://")) return undefined;
  const [, bucket, prefix = ""] = BUCKET.exec(place) ?? [];
  if (bucket === undefined) throw new Error(`${place} is not an address of a bucket: write s3://BUCKET/PREFIX`);
  return { bucket, prefix: prefix === "" ? "" : `${prefix}/` };
}
