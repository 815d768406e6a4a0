import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "#kernel/time.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { Digester, type DigestAlgorithm, type Digests } from "./digests.ts";
import type { BlobDriver, BlobSink } from "./driver.ts";
import { DigestMismatch, SizeMismatch, TooLarge } from "./errors.ts";
import type { Pins } from "./pins.ts";
import { beginBlob, dropStaged, forget } from "./records.ts";
import { sourceOf, type BlobInput, type Gathered, type Source } from "./source.ts";
import type { StagedBlob, WriteOptions } from "./types.ts";

export interface WriteParts {
  readonly metadata: MetadataStore;
  readonly driver: BlobDriver;
  readonly clock: Clock;
  readonly pins: Pins;
  readonly inlineBytesMax: number;
}

export async function writeBlob(
  parts: WriteParts,
  orgId: string,
  input: BlobInput,
  options: WriteOptions,
): Promise<StagedBlob> {
  const check = new Check(options);
  const id = parts.driver.newId(parts.clock.nowMs());
  const source = sourceOf(input, (chunk) => check.take(chunk), options.signal);
  try {
    const first = await source.next();
    const isSmall = first.ended && first.bytes <= parts.inlineBytesMax;
    const data = isSmall ? Buffer.concat(first.chunks) : null;
    if (data === null) await store(parts, { id, orgId, source, first, check, options });
    const { sha256, ...digests } = check.finish();
    return { id, orgId, size: check.bytes, sha256: sha256 ?? "", digests, data };
  } finally {
    source.release();
  }
}

interface StoredWrite {
  readonly id: string;
  readonly orgId: string;
  readonly source: Source;
  readonly first: Gathered;
  readonly check: Check;
  readonly options: WriteOptions;
}

async function store(parts: WriteParts, write: StoredWrite): Promise<void> {
  const { metadata, driver, clock, pins } = parts;
  const { id, orgId, options } = write;
  const unpin = pins.add(id);
  const recorded = beginBlob(metadata, { id, orgId, storeId: driver.storeId }, clock.nowMs());
  recorded.catch(() => {}); // The sink awaits this promise before anything durable is on disk.
  let sink: BlobSink | undefined;
  try {
    sink = await driver.create(id, { size: options.size, bytesMax: options.bytesMax, recorded });
    await pump(write, sink);
    write.check.verify();
    await sink.commit();
  } catch (error) {
    await deleteUnfinished(metadata, sink, recorded, { id, orgId });
    throw error;
  } finally {
    unpin();
  }
}

/** Writes to the disk while the next chunks arrive. */
async function pump({ source, first, options }: StoredWrite, sink: BlobSink): Promise<void> {
  let present = first;
  for (;;) {
    const writing = sink.write(present.chunks, present.bytes);
    if (present.ended) return writing;
    const next = source.next();
    // Awaits both even if one fails, because the chunks belong to the write until it has ended.
    const [written, gathered] = await Promise.allSettled([writing, next]);
    if (written.status === "rejected") throw written.reason;
    if (gathered.status === "rejected") throw gathered.reason;
    if (options.ownsChunks === true && !sink.keepsChunks) present.chunks.forEach(freeChunk);
    options.signal?.throwIfAborted();
    present = gathered.value;
    await waitForPace(options, present.bytes);
  }
}

/** Waits as `pace` says. Meanwhile the next chunks arrive, up to the size of one write. Then the sender waits too. */
async function waitForPace({ pace, signal }: WriteOptions, bytes: number): Promise<void> {
  const waitMs = pace?.waitMs(bytes) ?? 0;
  if (waitMs < 1) return;
  try {
    await sleep(waitMs, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    signal?.throwIfAborted(); // throws the signal's reason instead
    throw error;
  }
}

/** Frees the memory of a chunk if its buffer contains nothing else. */
function freeChunk({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

/** Deletes an unfinished blob. The collector finds it if that fails. */
async function deleteUnfinished(
  metadata: MetadataStore,
  sink: BlobSink | undefined,
  recorded: Promise<void>,
  blob: { id: string; orgId: string },
): Promise<void> {
  try {
    await sink?.abort();
    await recorded;
    await metadata.write(async (tx) => {
      if (await dropStaged(tx, blob)) await forget(tx, [blob.id]);
    });
  } catch {
    // The reason why the write failed is more useful than this error.
  }
}

/** Counts and digests the bytes, and compares them with the announced values. */
class Check {
  readonly #options: WriteOptions;
  readonly #digester: Digester;
  #digests: Digests | undefined;
  bytes = 0;

  constructor(options: WriteOptions) {
    const { bytesMax, size, digests = [], expected = {}, known = {} } = options;
    if (size !== undefined && size > bytesMax) throw new TooLarge(bytesMax);
    this.#options = options;
    const wanted: DigestAlgorithm[] = ["sha256", ...digests, ...(Object.keys(expected) as DigestAlgorithm[])];
    this.#digester = new Digester(wanted.filter((algorithm) => known[algorithm] === undefined));
  }

  take(chunk: Uint8Array): void {
    const { bytesMax, size } = this.#options;
    this.bytes += chunk.length;
    if (this.bytes > bytesMax) throw new TooLarge(bytesMax);
    if (size !== undefined && this.bytes > size) throw new SizeMismatch(size, `more than ${size}`);
    this.#digester.update(chunk);
  }

  /** Call it after the last byte. @throws SizeMismatch, DigestMismatch */
  verify(): void {
    const { size, expected = {}, known = {} } = this.#options;
    if (size !== undefined && this.bytes !== size) throw new SizeMismatch(size, String(this.bytes));
    const digests = (this.#digests ??= { ...known, ...this.#digester.finish() });
    for (const [algorithm, wanted] of Object.entries(expected) as [DigestAlgorithm, string][]) {
      const actual = digests[algorithm] ?? "";
      if (actual !== wanted.toLowerCase()) throw new DigestMismatch(algorithm, wanted, actual);
    }
  }

  finish(): Digests {
    this.verify();
    return this.#digests ?? {};
  }
}
