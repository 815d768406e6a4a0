/** Where the bytes of larger blobs are kept. The duties of a driver, and no more: permissions are not its business. */
export interface BlobDriver {
  readonly kind: "filesystem" | "s3";
  /** Names the directory or bucket in the metadata store. */
  readonly storeId: string;
  /** True when no other process writes here: half-made files at a start belong to nobody. */
  readonly exclusive: boolean;
  /** Present where clients can reach the store themselves. */
  readonly direct: DirectDriver | null;
  /** The id of a blob that is to be made. */
  newId(nowMs: number): string;
  /** @throws Problem `disk_full`, `unavailable` */
  create(id: string, options: CreateOptions): Promise<BlobSink>;
  /**
   * Opens the bytes from `start` on, `length` of them, of a blob that has `size`.
   * @throws BlobDamaged when it is missing or has another size; Problem `unavailable`
   */
  open(id: string, range: StoredRange): Promise<ByteSource>;
  /**
   * Deletes blobs, and leftovers of interrupted writes of them, so that they stay deleted after a power failure. An
   * absent one is no error. Resolves with the deleted ones; the others are to be retried.
   */
  delete(blobs: readonly DeletedBlob[]): Promise<string[]>;
  /** The size of the content under the name, or undefined. */
  sizeOf(id: string): Promise<number | undefined>;
  /** Every present blob, in no order, and other files, by their paths. */
  list(): AsyncIterable<StoredBlob | StrayFile>;
  /** Whether blobs can be written now, and why not. */
  check(): Promise<DriverHealth>;
  close(): Promise<void>;
}

export interface CreateOptions {
  /** Bytes that will come, when known. */
  readonly size: number | undefined;
  /** No more than this will come. */
  readonly bytesMax: number;
  /** Resolves when the records know of the blob: nothing may be left behind under its name before. */
  readonly recorded: Promise<void>;
}

/** A blob under way. One call at a time. */
export interface BlobSink {
  /** Whether chunks are read after their `write`. */
  readonly keepsChunks: boolean;
  /** Resolves when more may come. */
  write(chunks: readonly Uint8Array[], bytes: number): Promise<void>;
  /** Resolves when the blob is complete, under its name and safe from a power failure. */
  commit(): Promise<void>;
  /** Leaves nothing, also after a `commit` that failed. @throws when something may be left */
  abort(): Promise<void>;
}

export interface DeletedBlob {
  readonly id: string;
  /** False when its write never came to an end. */
  readonly complete: boolean;
}

export interface StoredRange {
  readonly size: number;
  readonly start: number;
  readonly length: number;
}

/** Bytes in their order. One call at a time. */
export interface ByteSource {
  /** Fills the buffer, or a part of it; resolves with the number of bytes, 0 only at the end of the range. */
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

export interface DriverHealth {
  readonly ok: boolean;
  readonly detail: string;
}

/**
 * Uploads and downloads directly at the store. New content is separate from the blobs, under the organization and a
 * name.
 */
export interface DirectDriver {
  /** The URL for a `PUT` of exactly this type, and exactly this size when there is one. */
  uploadUrl(at: ArrivalPlace, allowed: AllowedUpload): string;
  downloadUrl(id: string, as: DownloadAs): string;
  /** New content of an organization, or of all, that was not deleted. */
  arrivals(orgId?: string): AsyncIterable<Arrival>;
  arrival(at: ArrivalPlace): Promise<Arrival | undefined>;
  /**
   * Copies new content, within the store, to the place of the blob `id`, so that no later upload by the same URL
   * changes it. Resolves with its SHA-256 in hexadecimal, or null when the store has not computed it; undefined when it
   * is gone, or has changed.
   */
  copy(arrival: Arrival, id: string): Promise<string | null | undefined>;
  /** One that is not there is no error. */
  forget(at: ArrivalPlace): Promise<void>;
}

export interface ArrivalPlace {
  readonly orgId: string;
  readonly name: string;
}

export interface Arrival extends ArrivalPlace {
  readonly size: number;
  /** The store's own tag of the content. */
  readonly etag: string;
}

export interface AllowedUpload {
  readonly contentType: string;
  readonly size: number | null;
  readonly lifetimeS: number;
}

/** Header fields of the answer. */
export interface DownloadAs {
  readonly contentType: string;
  readonly disposition: string;
  readonly cacheControl: string;
  readonly lifetimeS: number;
}
