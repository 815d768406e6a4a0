import type { Bucket } from "./buckets.ts";
import type { ChecksumAlgorithm, ChecksumType } from "./objects.ts";
import type { S3Owner } from "./principals.ts";
import type { UploadPage } from "./uploads.ts";

export interface ListedObject {
  readonly key: string;
  readonly size: number;
  readonly etag: string;
  readonly modifiedAtMs: number;
  readonly owner: S3Owner;
  readonly checksumAlgorithm: ChecksumAlgorithm | null;
  readonly checksumType: ChecksumType | null;
}

export interface ListedVersion extends ListedObject {
  readonly versionId: string;
  readonly isLatest: boolean;
  readonly isDeleteMarker: boolean;
}

export interface ListQuery {
  readonly prefix: string;
  /** Empty: none. */
  readonly delimiter: string;
  readonly max: number;
}

export interface ObjectPage {
  readonly objects: readonly ListedObject[];
  readonly prefixes: readonly string[];
  /** The last key or prefix of the page (v1's NextMarker); null: nothing follows. */
  readonly nextMarker: string | null;
  /** The same position as an opaque text (v2). It is valid only for the same prefix and delimiter. */
  readonly nextToken: string | null;
}

export interface VersionPage {
  readonly versions: readonly ListedVersion[];
  readonly prefixes: readonly string[];
  readonly next: { readonly keyMarker: string; readonly versionIdMarker: string } | null;
}

export interface S3Listings {
  /**
   * Lists objects in the order of their bytes. `after`: starts after this key, or after all keys of this common prefix.
   * `token` wins over `after`.
   * @throws S3Error `InvalidArgument`
   */
  objects(bucket: Bucket, query: ListQuery & { readonly after?: string; readonly token?: string }): Promise<ObjectPage>;
  /** Lists versions. The versions of a key are sorted, the newest first. */
  versions(
    bucket: Bucket,
    query: ListQuery & { readonly keyMarker?: string; readonly versionIdMarker?: string },
  ): Promise<VersionPage>;
  uploads(
    bucket: Bucket,
    query: ListQuery & { readonly keyMarker?: string; readonly uploadIdMarker?: string },
  ): Promise<UploadPage>;
}
