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
  /** Composite for SHA-1 and SHA-256, and for CRC32 and CRC32C, full for CRC64NVME, when not given. */
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

/** The parts that a completion names, made by `partList`. It is text for the database, because ten thousand objects would hold the event loop. */
export interface PartList {
  /** The last of two parts with the same number counts. */
  readonly count: number;
  readonly isInOrder: boolean;
  /** JSON: a list of `CompletedPart`. */
  readonly json: string;
  /** SHA-256 of numbers and tags: a repeated completion has the same one. */
  readonly digest: string;
}

export interface S3Uploads {
  create(caller: S3Caller, bucket: Bucket, upload: NewUpload): Promise<Upload>;
  /** @throws S3Error `NoSuchUpload` also when it is of another key or bucket */
  find(bucket: Bucket, key: string, uploadId: string): Promise<Upload>;
  /**
   * `content` is discarded when it can't be kept. `checksum`: base64, in the upload's algorithm.
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
  /** A part that refers to the content of an object: its ETag is the caller's to compute, from the bytes. @throws S3Error `NoSuchUpload` */
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
   * Makes the parts an object. Repeated after it was done, with the same parts, it gives the same answer again, for a day.
   * @throws S3Error `NoSuchUpload`, `InvalidPart`, `InvalidPartOrder`, `EntityTooSmall`, `BadDigest` (the checksum), `PreconditionFailed`
   */
  complete(
    caller: S3Caller,
    bucket: Bucket,
    completion: {
      readonly key: string;
      readonly uploadId: string;
      readonly parts: PartList;
      /** The checksum of the whole, when the client gives one: base64. */
      readonly checksum?: { readonly algorithm: ChecksumAlgorithm; readonly value: string } | null;
      /** Size of the whole, when the client gives it. */
      readonly size?: number;
      readonly conditions?: WriteConditions;
    },
  ): Promise<WrittenVersion>;
  /** @throws S3Error `NoSuchUpload` */
  abort(caller: S3Caller, bucket: Bucket, key: string, uploadId: string): Promise<void>;
}
