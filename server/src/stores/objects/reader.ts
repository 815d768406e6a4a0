import type { Writable } from "node:stream";
import type { Buffers } from "./buffers.ts";
import type { Digests } from "./digests.ts";
import type { ByteSource } from "./driver.ts";
import { BlobDamaged } from "./errors.ts";
import { pipe } from "./pipe.ts";
import type { BlobReader, ByteRange, PipeOptions } from "./types.ts";

const CHUNK_BYTES = 256 * 1024;

export interface OpenedBlob {
  readonly id: string;
  readonly size: number;
  readonly sha256: string | null;
  readonly digests: Digests;
  readonly range: ByteRange;
  readonly source: ByteSource;
  readonly buffers: Buffers;
  /** Called once, when the reader is closed. */
  readonly closed: () => void;
}

/** Reads a range of a blob and counts the bytes. Fewer bytes than promised are an error, never an end. */
export class OpenBlobReader implements BlobReader {
  readonly size: number;
  readonly start: number;
  readonly length: number;
  readonly sha256: string | null;
  readonly digests: Digests;
  readonly #blob: OpenedBlob;
  #left: number;
  #isClosed = false;

  constructor(blob: OpenedBlob) {
    this.#blob = blob;
    this.size = blob.size;
    this.sha256 = blob.sha256;
    this.digests = blob.digests;
    this.start = blob.range.start;
    this.length = blob.range.end - blob.range.start;
    this.#left = this.length;
  }

  async read(buffer: Buffer): Promise<number> {
    if (this.#isClosed) throw new Error("cannot read the blob: its reader is closed");
    if (this.#left === 0) return 0;
    const bytes = await this.#blob.source.read(buffer);
    if (bytes === 0) throw new BlobDamaged(this.#blob.id, `its last ${this.#left} bytes are missing`);
    this.#left -= bytes;
    return bytes;
  }

  async *chunks(): AsyncGenerator<Buffer, void, undefined> {
    try {
      while (this.#left > 0) {
        const buffer = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, this.#left));
        const bytes = await this.read(buffer);
        yield buffer.subarray(0, bytes);
      }
    } finally {
      await this.close();
    }
  }

  async pipeTo(target: Writable, options: PipeOptions = {}): Promise<void> {
    try {
      await pipe(this, target, this.#blob.buffers, options);
    } finally {
      await this.close();
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#blob.closed();
    await this.#blob.source.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** Reads bytes in memory. */
export class MemorySource implements ByteSource {
  readonly #bytes: Uint8Array;
  #position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  async read(buffer: Buffer): Promise<number> {
    const piece = this.#bytes.subarray(this.#position, this.#position + buffer.length);
    buffer.set(piece);
    this.#position += piece.length;
    return piece.length;
  }

  async close(): Promise<void> {}
}

/** Reads several sources one after another. The next one is opened while the current one is read. */
export class ChainedSource implements ByteSource {
  readonly #opening: AsyncIterator<() => Promise<ByteSource>>;
  #present: ByteSource | undefined;
  #next: Promise<ByteSource | undefined>;

  constructor(sources: AsyncIterable<() => Promise<ByteSource>>) {
    this.#opening = sources[Symbol.asyncIterator]();
    this.#next = this.#open();
  }

  /** Resolves when the first source is open, so that missing content is an error before anything is sent. */
  async ready(): Promise<void> {
    this.#present = await this.#next;
    this.#next = this.#open();
  }

  async read(buffer: Buffer): Promise<number> {
    while (this.#present !== undefined) {
      const bytes = await this.#present.read(buffer);
      if (bytes > 0) return bytes;
      await this.#present.close();
      this.#present = undefined;
      await this.ready();
    }
    return 0;
  }

  async close(): Promise<void> {
    const next = await this.#next.catch(() => undefined);
    await Promise.all([this.#present?.close(), next?.close(), this.#opening.return?.()]);
  }

  #open(): Promise<ByteSource | undefined> {
    const opening = this.#opening.next().then((result) => (result.done === true ? undefined : result.value()));
    opening.catch(() => {}); // an error is reported when its turn comes
    return opening;
  }
}
