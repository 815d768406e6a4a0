import type { S3Access } from "./access.ts";
import type { S3Buckets } from "./buckets.ts";
import type { S3Listings } from "./listings.ts";
import type { S3Objects } from "./objects.ts";
import type { S3Keys } from "./principals.ts";
import type { S3Uploads } from "./uploads.ts";

/** Everything that the gateway's HTTP layer needs. Only `access` checks permissions. */
export interface S3Domain {
  readonly keys: S3Keys;
  readonly access: S3Access;
  readonly buckets: S3Buckets;
  readonly objects: S3Objects;
  readonly listings: S3Listings;
  readonly uploads: S3Uploads;
}
