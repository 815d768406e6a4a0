import type { StoreHealth } from "#kernel/store-health.ts";
/** Stores the bytes of blobs that are not inline. A driver does not check permissions. */
export interface BlobDriver {
  readonly kind: "filesystem" | "s3";
  /** Identifies the directory or bucket in the metadata store. */
  readonly storeId: string;
  /** True when no other process writes here. Then unfinished files at a start can be deleted. */
  readonly exclusive: boolean;
  /** Present if clients can reach the store themselves. */
  readonly direct: DirectDriver | null;
  /** Returns an id for a new blob. */
  newId(nowMs: number): string;
  /** @throws Problem `disk_full`, `unavailable` */
  create(id: string, options: CreateOptions): Promise<BlobSink>;
  /**
   * Opens `length` bytes from `start` of a blob of `size` bytes.
   * @throws BlobDamaged when it is missing or has another size; Problem `unavailable`
   */
  open(id: string, range: StoredRange): Promise<ByteSource>;
  /**
   * Deletes blobs, and leftovers of their interrupted writes, so that they stay deleted after a power failure. Deleting
   * an absent blob succeeds. Resolves to the deleted ones; retry the others.
   */
  delete(blobs: readonly DeletedBlob[]): Promise<string[]>;
  /** Returns the size of the content under this name, or undefined. */
  sizeOf(id: string): Promise<number | undefined>;
  /** Lists all blobs in no order, and other files by their paths. */
  list(): AsyncIterable<StoredBlob | StrayFile>;
  /** Checks whether blobs can be written now. */
  check(): Promise<DriverHealth>;
  close(): Promise<void>;
}

export interface CreateOptions {
  /** The expected number of bytes, when known. */
  readonly size: number | undefined;
  /** The most bytes that the caller may write. */
  readonly bytesMax: number;
  /** Resolves when the records name the blob. Before that, nothing durable may be stored under its name. */
  readonly recorded: Promise<void>;
}

/** A blob being written. Allows one call at a time. */
export interface BlobSink {
  /** Whether chunks are still read after their `write` has resolved. */
  readonly keepsChunks: boolean;
  /** Resolves when the next chunks may be written. */
  write(chunks: readonly Uint8Array[], bytes: number): Promise<void>;
  /** Resolves when the blob is complete, has its name and survives a power failure. */
  commit(): Promise<void>;
  /** Deletes everything that was written, also after a failed `commit`. @throws when something may be left */
  abort(): Promise<void>;
}

export interface DeletedBlob {
  readonly id: string;
  /** False when its write did not end. */
  readonly complete: boolean;
}

export interface StoredRange {
  readonly size: number;
  readonly start: number;
  readonly length: number;
}

/** Reads bytes in order. Allows one call at a time. */
export interface ByteSource {
  /** Fills the buffer or a part of it. Resolves to the number of bytes, which is 0 only at the end of the range. */
  read(buffer: Buffer): Promise<number>;
  close(): Promise<void>;
}

export interface StoredBlob {
  readonly id: string;
  readonly bytes: number;
}

export interface StrayFile {
  readonly stray: string;
}

export type DriverHealth = StoreHealth;

/**
 * Lets clients upload to and download from the store directly. New content is stored apart from the blobs, under the
 * organization and a name.
 */
export interface DirectDriver {
  /** Returns a URL for a `PUT` of exactly this type, and of exactly this size if one is given. */
  uploadUrl(at: ArrivalPlace, allowed: AllowedUpload): string;
  downloadUrl(id: string, as: DownloadAs): string;
  /** Lists the new content of one organization, or of all. */
  arrivals(orgId?: string): AsyncIterable<Arrival>;
  arrival(at: ArrivalPlace): Promise<Arrival | undefined>;
  /**
   * Copies new content within the store to the place of the blob `id`, so that a later upload by the same URL cannot
   * change it. Resolves to its SHA-256 in hexadecimal, or to null when the store has not computed it. Resolves to
   * undefined when the content is gone or has changed.
   */
  copy(arrival: Arrival, id: string): Promise<string | null | undefined>;
  /** Deletes new content. If there is none, that is not an error. */
  forget(at: ArrivalPlace): Promise<void>;
}

export interface ArrivalPlace {
  readonly orgId: string;
  readonly name: string;
}

export interface Arrival extends ArrivalPlace {
  readonly size: number;
  /** The store's tag of the content. */
  readonly etag: string;
}

export interface AllowedUpload {
  readonly contentType: string;
  readonly size: number | null;
  readonly lifetimeS: number;
}

/** Response header fields of a download. */
export interface DownloadAs {
  readonly contentType: string;
  readonly disposition: string;
  readonly cacheControl: string;
  readonly lifetimeS: number;
}
