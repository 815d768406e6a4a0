import type { RawBuilder } from "kysely";
import type { Writable } from "node:stream";
import type { Writer } from "#stores/metadata/index.ts";
import type { DigestAlgorithm, Digests } from "./digests.ts";
import type { AllowedUpload, Arrival, ArrivalPlace, DownloadAs } from "./driver.ts";
import type { BlobInput } from "./source.ts";

export interface WriteOptions {
  /** More than this is refused while it comes in. */
  readonly bytesMax: number;
  /** The exact size, when it is known. */
  readonly size?: number | undefined;
  /** Digests to compute beside SHA-256, which every blob gets. */
  readonly digests?: readonly DigestAlgorithm[];
  /** The expected digests; they need not be requested above. */
  readonly expected?: Digests;
  /** Digests of content that another thread computed: they are not computed again. */
  readonly known?: Digests;
  readonly signal?: AbortSignal;
  /**
   * Nobody else keeps the chunks, as with the body of a request: their memory is given back when they are written. Left to the garbage collector, half a
   * gigabyte costs it as much time as the digest.
   */
  readonly ownsChunks?: boolean;
  /** How long to wait after this many bytes, in milliseconds: large bodies give way to others. */
  readonly pace?: { waitMs(bytes: number): number };
}

/**
 * Complete bytes that nothing references yet. `link` makes them count; `discard` deletes them at once, and so does the
 * collector when neither comes within its grace period.
 */
export interface StagedBlob {
  readonly id: string;
  readonly orgId: string;
  readonly size: number;
  readonly sha256: string;
  /** SHA-256 and those that were asked for. */
  readonly digests: Digests;
  /** The bytes themselves when they are few: they go into the metadata store with `link`. */
  readonly data: Uint8Array | null;
}

/** Half-open: from the byte `start` up to, without, the byte `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** A part of a blob of parts: a range of another blob, or all of it. */
export interface PartRange {
  readonly blobId: string;
  readonly range?: ByteRange;
  /** The caller's number of the part, for `parts`; from 1 on when absent. */
  readonly number?: number;
}

/**
 * A query of the transaction for the parts that the records have already: ten thousand of them as objects would hold the event loop. Its columns are
 * those of a `PartRange`: `i` (the order), `blob`, `number`, `start`, `end` (null: all of the blob).
 */
export type PartRangeQuery = RawBuilder<unknown>;

/** The same for blobs: its column is `id`. */
export interface BlobQuery {
  readonly ids: RawBuilder<unknown>;
  /** Different ones among them. */
  readonly count: number;
}

export interface BlobPart {
  readonly number: number;
  /** Where the part begins in the whole. */
  readonly position: number;
  readonly length: number;
}

export interface OpenOptions {
  /** Must lie within the blob; all of it when not given. */
  readonly range?: ByteRange;
}

/** An open range of a blob. It reads on when the blob is collected meanwhile. To be closed; one call at a time. */
export interface BlobReader extends AsyncDisposable {
  /** Size of the whole blob. */
  readonly size: number;
  readonly start: number;
  /** Bytes that this reader gives. */
  readonly length: number;
  /** Null for a blob of parts. */
  readonly sha256: string | null;
  readonly digests: Digests;
  /**
   * Fills the buffer, or a part of it; resolves with the number of bytes, 0 only when all of them were given.
   * @throws BlobDamaged, Problem `unavailable`
   */
  read(buffer: Buffer): Promise<number>;
  /** The same as chunks of at most 256 KiB, each of which is the consumer's own. Closes the reader at the end. */
  chunks(): AsyncGenerator<Buffer, void, undefined>;
  /**
   * Writes everything to a response, or another stream, and closes the reader. The fastest way out: few buffers, used again. When the
   * consumer goes away, or `signal` says so, reading stops. When bytes are missing, the stream is destroyed, so that its reader sees a cut
   * body and no short one.
   */
  pipeTo(target: Writable, options?: PipeOptions): Promise<void>;
  close(): Promise<void>;
}

export interface PipeOptions {
  /** Whether the stream is ended afterwards; true. */
  readonly end?: boolean;
  readonly signal?: AbortSignal;
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

export interface ObjectHealth {
  readonly ok: boolean;
  readonly detail: string;
}

/**
 * Uploads and downloads that go past this server, straight to the store that it keeps its blobs in. What arrives is nothing yet: `take` makes a
 * blob of it, which then counts as any other.
 */
export interface DirectStore {
  uploadUrl(at: ArrivalPlace, allowed: AllowedUpload): string;
  /** Null when the blob is not there as one object: `open` gives it. */
  downloadUrl(orgId: string, blobId: string, as: DownloadAs): Promise<string | null>;
  /**
   * New content of an organization, or of all, that was not deleted.
   * @throws Problem `unavailable`
   */
  arrivals(orgId?: string): AsyncIterable<Arrival>;
  /** @throws Problem `unavailable` */
  arrival(at: ArrivalPlace): Promise<Arrival | undefined>;
  /** Undefined when it is gone, or another than it was. @throws DigestMismatch, Problem `unavailable` */
  take(arrival: Arrival, expected: Pick<Digests, "sha256">): Promise<StagedBlob | undefined>;
  /** One that is not there is no error. @throws Problem `unavailable` */
  forget(at: ArrivalPlace): Promise<void>;
}

/** The functions of the store that are allowed beside a running server. */
export type ObjectsBeside = Pick<ObjectStore, "open" | "unlink" | "close">;

/**
 * Immutable bytes under random ids. Each blob belongs to one organization, which every call names: a blob of another
 * one is absent. (The registry's content belongs to a name that is no organization; the registry's own rows decide who
 * may read it.)
 * A write takes two steps. `write` stores the bytes; the caller's own transaction then calls `link` and writes its own
 * rows, and when that commits, the blob counts. Every row that references a blob has linked it once and unlinks it when
 * it is deleted; a copy links it once more.
 */
export interface ObjectStore {
  /** Null where clients can't reach the store themselves. */
  readonly direct: DirectStore | null;
  /**
   * Resolves when the bytes survive a power failure, except those of small blobs, which `link` makes durable. A failure
   * leaves nothing behind.
   * @throws TooLarge, SizeMismatch, DigestMismatch; Problem `disk_full`, `unavailable`; the input's error; the signal's
   *   reason
   */
  write(orgId: string, input: BlobInput, options: WriteOptions): Promise<StagedBlob>;
  /** Deletes a staged blob, unless it was linked after all. Does not throw: the collector repeats a failed deletion. */
  discard(staged: StagedBlob): Promise<void>;
  /**
   * References a blob, staged or linked before.
   * @throws Problem `not_found`; `unavailable` when a staged one was collected
   */
  link(tx: Writer, orgId: string, blob: StagedBlob | string): Promise<void>;
  /** Lets go of blobs that were linked, of each as often as it is named. @throws Error when one was not linked */
  unlink(tx: Writer, orgId: string, blobIds: readonly string[] | BlobQuery): Promise<void>;
  /**
   * Makes a blob of ranges of others, without a copy, and links it. The parts stay as long as it does, even when their
   * other references are deleted. A single part that is a whole blob is that blob, linked once more.
   * @throws Problem `not_found`; `invalid_request` when too many blobs would make it up; RangeError
   */
  compose(
    tx: Writer,
    orgId: string,
    parts: readonly PartRange[] | PartRangeQuery,
    digests?: Digests,
  ): Promise<Composed>;
  /** The parts of a blob of parts in their order, by the numbers that they were given; of any other blob none. @throws Problem `not_found` */
  parts(orgId: string, blobId: string): Promise<BlobPart[]>;
  /** @throws Problem `not_found`, `unavailable`; BlobDamaged */
  open(orgId: string, blobId: string, options?: OpenOptions): Promise<BlobReader>;
  /** Deletes blobs without references for the grace period. It also runs periodically. */
  collect(): Promise<Collected>;
  health(): ObjectHealth;
  /** Waits for nothing but a collection under way: end writes and reads before. */
  close(): Promise<void>;
}
