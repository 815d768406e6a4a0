import type { S3Deps } from "../deps.ts";
import type { S3Listings } from "../types/index.ts";
import { listObjects } from "./objects.ts";
import { listUploads } from "./uploads.ts";
import { listVersions } from "./versions.ts";

export function createListings(deps: Pick<S3Deps, "metadata">): S3Listings {
  return {
    objects: (bucket, query) => listObjects(deps, bucket, query),
    versions: (bucket, query) => listVersions(deps, bucket, query),
    uploads: (bucket, query) => listUploads(deps, bucket, query),
  };
}
