import type { ByteRange, StagedBlob } from "#stores/objects/index.ts";
import type { Bucket } from "./buckets.ts";
import type {
  ChecksumAlgorithm,
  ChecksumType,
  ObjectAttributes,
  ObjectVersion,
  WrittenVersion,
  SseInfo,
  WriteConditions,
} from "./objects.ts";
import type { S3Caller, S3Owner } from "./principals.ts";

export interface Upload {
  readonly id: string;
  readonly key: string;
  readonly initiatedAtMs: number;
  readonly owner: S3Owner;
  readonly initiator: S3Owner;
  readonly checksumAlgorithm: ChecksumAlgorithm | null;
  readonly checksumType: ChecksumType | null;
  readonly sse: SseInfo | null;
}

export interface UploadPage {
  readonly uploads: readonly Upload[];
  readonly prefixes: readonly string[];
  readonly next: { readonly keyMarker: string; readonly uploadIdMarker: string } | null;
}

export interface UploadedPart {
  readonly number: number;
  readonly size: number;
  readonly etag: string;
  readonly modifiedAtMs: number;
  /** Base64. */
  readonly checksum: string | null;
}

export interface NewUpload extends ObjectAttributes {
  readonly key: string;
  readonly checksumAlgorithm?: ChecksumAlgorithm | null;
  /** Default: composite for SHA-1, SHA-256, CRC32 and CRC32C, full for CRC64NVME. */
  readonly checksumType?: ChecksumType | null;
  readonly sse?: SseInfo | null;
}

export interface CompletedPart {
  readonly number: number;
  /** Without quotation marks. */
  readonly etag: string;
  /** Base64; compared when it is given. */
  readonly checksum?: string | undefined;
}

/**
 * The parts that a completion names, made by `partList`. It is text for the database, because ten thousand objects
 * would block the event loop.
 */
export interface PartList {
  /** When two parts have the same number, the last one counts. */
  readonly count: number;
  readonly isInOrder: boolean;
  /** JSON: a list of `CompletedPart`. */
  readonly json: string;
  /** SHA-256 of numbers and ETags. A repeated completion has the same digest. */
  readonly digest: string;
}

export interface S3Uploads {
  create(caller: S3Caller, bucket: Bucket, upload: NewUpload): Promise<Upload>;
  /** @throws S3Error `NoSuchUpload`, also when the upload belongs to another key or bucket */
  find(bucket: Bucket, key: string, uploadId: string): Promise<Upload>;
  /**
   * Stores a part. `content` is discarded when that fails. `checksum`: base64, in the upload's algorithm.
   * @throws S3Error `NoSuchUpload`, `QuotaExceeded`
   */
  putPart(
    caller: S3Caller,
    bucket: Bucket,
    part: {
      readonly key: string;
      readonly uploadId: string;
      readonly number: number;
      readonly content: StagedBlob;
      readonly etag?: string;
      readonly checksum?: string | null;
      readonly nonce?: string;
    },
  ): Promise<UploadedPart>;
  /**
   * Stores a part with the content of an existing object. The caller computes its ETag from the bytes.
   * @throws S3Error `NoSuchUpload`
   */
  copyPart(
    caller: S3Caller,
    bucket: Bucket,
    part: {
      readonly key: string;
      readonly uploadId: string;
      readonly number: number;
      readonly source: ObjectVersion;
      readonly range?: ByteRange;
    },
  ): Promise<UploadedPart>;
  parts(
    bucket: Bucket,
    upload: Upload,
    page: { readonly after: number; readonly max: number },
  ): Promise<{ readonly parts: readonly UploadedPart[]; readonly next: number | null }>;
  /**
   * Completes the upload: its parts become an object. The same completion, sent again within a day, gets the same
   * answer.
   * @throws S3Error `NoSuchUpload`, `InvalidPart`, `InvalidPartOrder`, `EntityTooSmall`, `BadDigest` (the checksum),
   * `PreconditionFailed`
   */
  complete(
    caller: S3Caller,
    bucket: Bucket,
    completion: {
      readonly key: string;
      readonly uploadId: string;
      readonly parts: PartList;
      /** The checksum of the object in base64, when the client sends one. */
      readonly checksum?: { readonly algorithm: ChecksumAlgorithm; readonly value: string } | null;
      /** The size of the object, when the client sends it. */
      readonly size?: number;
      readonly conditions?: WriteConditions;
    },
  ): Promise<WrittenVersion>;
  /** @throws S3Error `NoSuchUpload` */
  abort(caller: S3Caller, bucket: Bucket, key: string, uploadId: string): Promise<void>;
}
