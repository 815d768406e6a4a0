import type { RawBuilder } from "kysely";
import type { Writable } from "node:stream";
import type { StoreHealth } from "#kernel/store-health.ts";
import type { Writer } from "#stores/metadata/index.ts";
import type { DigestAlgorithm, Digests } from "./digests.ts";
import type { AllowedUpload, Arrival, ArrivalPlace, DownloadAs } from "./driver.ts";
import type { BlobInput } from "./source.ts";

export interface WriteOptions {
  /** Larger content is refused while it arrives. */
  readonly bytesMax: number;
  /** The exact size, when it is known. */
  readonly size?: number | undefined;
  /** Digests to compute in addition to SHA-256. Every blob has a SHA-256. */
  readonly digests?: readonly DigestAlgorithm[];
  /** The expected digests. They need not be in `digests`. */
  readonly expected?: Digests;
  /** Digests that another thread has computed. They are not computed again. */
  readonly known?: Digests;
  readonly signal?: AbortSignal;
  /**
   * The organization and the credential or person that sends the content. Then the write waits for one of the places that
   * they have. Absent: it begins at once.
   */
  readonly sender?: { readonly orgId: string; readonly id: string };
  /**
   * True when nothing else uses the chunks, as with a request's body. Then their memory is freed once they are written:
   * for half a gigabyte, the garbage collector would take as much time as the digest.
   */
  readonly ownsChunks?: boolean;
  /** How long to wait after this many bytes, in milliseconds. It makes large bodies yield to others. */
  readonly pace?: { waitMs(bytes: number): number };
}

/**
 * Complete bytes without a reference. `link` adds one, and `discard` deletes the bytes at once. Without either, the
 * collector deletes them after its grace period.
 */
export interface StagedBlob {
  readonly id: string;
  readonly orgId: string;
  readonly size: number;
  readonly sha256: string;
  /** SHA-256 and the requested digests. */
  readonly digests: Digests;
  /** The bytes of a small blob, which `link` stores in the metadata store. */
  readonly data: Uint8Array | null;
}

/** The bytes from `start` to before `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** A part of a composed blob: a range of another blob, or all of it. */
export interface PartRange {
  readonly blobId: string;
  readonly range?: ByteRange;
  /** The client's number of the part; counted from 1 when absent. */
  readonly number?: number;
}

/**
 * A query for parts that are already in the records. It runs in the transaction, because ten thousand objects would
 * block the event loop. Its columns are those of a `PartRange`: `i` (the order), `blob`, `number`, `start`, `end`
 * (null: the whole blob).
 */
export type PartRangeQuery = RawBuilder<unknown>;

/** A query for blobs, with the column `id`. */
export interface BlobQuery {
  readonly ids: RawBuilder<unknown>;
  /** The number of distinct blobs. */
  readonly count: number;
}

export interface BlobPart {
  readonly number: number;
  /** The offset of the part in the composed blob. */
  readonly position: number;
  readonly length: number;
}

export interface OpenOptions {
  /** Must lie within the blob; the whole blob when absent. */
  readonly range?: ByteRange;
}

/**
 * An open range of a blob. It can be read to its end even when the blob is deleted. Close it afterwards. Allows one
 * call at a time.
 */
export interface BlobReader extends AsyncDisposable {
  /** Size of the whole blob. */
  readonly size: number;
  readonly start: number;
  /** Number of bytes in the range. */
  readonly length: number;
  /** Null for a composed blob. */
  readonly sha256: string | null;
  readonly digests: Digests;
  /**
   * Fills the buffer or a part of it. Resolves to the number of bytes, which is 0 only at the end of the range.
   * @throws BlobDamaged, Problem `unavailable`
   */
  read(buffer: Buffer): Promise<number>;
  /** Yields chunks of at most 256 KiB, which the consumer may keep. Closes the reader at the end. */
  chunks(): AsyncGenerator<Buffer, void, undefined>;
  /**
   * Writes everything to a response or another stream, and closes the reader. This is the fastest way, because it
   * reuses a few buffers. Reading stops when the receiver disconnects or `signal` aborts. When bytes are missing, the
   * stream is destroyed, so that the receiver sees a cut body and not a complete short one.
   */
  pipeTo(target: Writable, options?: PipeOptions): Promise<void>;
  close(): Promise<void>;
}

export interface PipeOptions {
  /** Whether to end the stream afterwards. Default true. */
  readonly end?: boolean;
  readonly signal?: AbortSignal;
  /** Called when bytes are missing, before the stream is destroyed. */
  readonly failed?: (error: unknown) => void;
}

export interface Composed {
  readonly id: string;
  readonly size: number;
}

/** The result of the collector. */
export interface Collected {
  readonly blobs: number;
  readonly bytes: number;
}

export type ObjectHealth = StoreHealth;

/**
 * Lets clients upload to and download from the store of the blobs directly. Only `take` turns uploaded content into a
 * blob.
 */
export interface DirectStore {
  uploadUrl(at: ArrivalPlace, allowed: AllowedUpload): string;
  /** Null when the blob is not stored as one object; then use `open`. */
  downloadUrl(orgId: string, blobId: string, as: DownloadAs): Promise<string | null>;
  /**
   * Lists the new content of one organization, or of all.
   * @throws Problem `unavailable`
   */
  arrivals(orgId?: string): AsyncIterable<Arrival>;
  /** @throws Problem `unavailable` */
  arrival(at: ArrivalPlace): Promise<Arrival | undefined>;
  /**
   * Turns new content into a staged blob. Resolves to undefined when it is gone or has changed.
   * @throws DigestMismatch, Problem `unavailable`
   */
  take(arrival: Arrival, expected: Pick<Digests, "sha256">): Promise<StagedBlob | undefined>;
  /** Deletes new content. If there is none, that is not an error. @throws Problem `unavailable` */
  forget(at: ArrivalPlace): Promise<void>;
}

/** The functions that a command may call while a server runs. */
export type ObjectsBeside = Pick<ObjectStore, "open" | "unlink" | "close">;

/**
 * Immutable bytes under random ids. Each blob belongs to one organization, which every call names; for other
 * organizations it is absent. (The registry's content belongs to a fixed name instead, and the registry's rows decide
 * who may read it.) A write has two steps: `write` stores the bytes, then the caller's own transaction calls `link` and
 * writes its rows. The blob counts when that commits. Every row that references a blob links it once, and unlinks it
 * when the row is deleted. A copy links it again.
 */
export interface ObjectStore {
  /** Null if clients cannot reach the store themselves. */
  readonly direct: DirectStore | null;
  /**
   * Stores bytes. Resolves when they survive a power failure; only `link` makes small blobs durable. A failure leaves
   * nothing behind.
   * @throws TooLarge, SizeMismatch, DigestMismatch; Problem `disk_full`, `unavailable`; the input's error; the signal's
   * reason
   */
  write(orgId: string, input: BlobInput, options: WriteOptions): Promise<StagedBlob>;
  /** The number of writes of senders that run, and that wait for their place. */
  uploads(): { readonly running: number; readonly waiting: number };
  /** Deletes a staged blob unless it was linked. Does not throw, since the collector retries a failed deletion. */
  discard(staged: StagedBlob): Promise<void>;
  /**
   * Adds a reference to a staged or linked blob.
   * @throws Problem `not_found`; `unavailable` when a staged blob was collected
   */
  link(tx: Writer, orgId: string, blob: StagedBlob | string): Promise<void>;
  /** Unlinks blobs, each as often as it is named. @throws Error when one was not linked */
  unlink(tx: Writer, orgId: string, blobIds: readonly string[] | BlobQuery): Promise<void>;
  /**
   * Composes a blob of ranges of others without a copy, and links it. Its parts are kept as long as it is, even without
   * other references. If the only part is a whole blob, that blob is linked again instead.
   * @throws Problem `not_found`; `invalid_request` when it would consist of too many blobs; RangeError
   */
  compose(
    tx: Writer,
    orgId: string,
    parts: readonly PartRange[] | PartRangeQuery,
    digests?: Digests,
  ): Promise<Composed>;
  /**
   * Lists the parts of a composed blob in order, with their numbers. Returns none for any other blob.
   * @throws Problem `not_found`
   */
  parts(orgId: string, blobId: string): Promise<BlobPart[]>;
  /** @throws Problem `not_found`, `unavailable`; BlobDamaged */
  open(orgId: string, blobId: string, options?: OpenOptions): Promise<BlobReader>;
  /** Deletes blobs that had no references for the grace period. It also runs periodically. */
  collect(): Promise<Collected>;
  /**
   * Deletes the blobs of a deleted organization that have no references, without the grace period. Returns the number of
   * its blobs that are left.
   */
  forgetOrganization(orgId: string): Promise<number>;
  health(): ObjectHealth;
  /** Writes a small file as a test, or asks the upstream store, and updates `health`. */
  probe(): Promise<void>;
  /** Waits only for a running collection. End all writes and reads first. */
  close(): Promise<void>;
}
