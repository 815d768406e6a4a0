import { newId } from "#kernel/ids.ts";
import { FairTurns } from "#kernel/fair-turns.ts";
import type { GuardedClock } from "#kernel/deletions.ts";
import { Problem } from "#kernel/problem.ts";
import { healthReasonOf } from "#kernel/store-health.ts";
import { Schedule, type ScheduledWork } from "#stores/jobs/index.ts";
import type { MetadataStore, Writer } from "#stores/metadata/index.ts";
import { Buffers } from "./buffers.ts";
import { ageBlobs, collect, countBlobs, giveUpWrites, renewPins, type CollectorParts } from "./collector.ts";
import type { Digests } from "./digests.ts";
import { directStoreOf } from "./direct.ts";
import type { BlobDriver, ByteSource, DriverHealth, StoredRange } from "./driver.ts";
import { BlobDamaged } from "./errors.ts";
import { checkedRange, composeParts, partsOf, stretches } from "./parts.ts";
import { Pins } from "./pins.ts";
import { ChainedSource, MemorySource, OpenBlobReader } from "./reader.ts";
import {
  blobNotFound,
  dropStaged,
  forget,
  hold,
  inlineData,
  linkStaged,
  liveBlobWithData,
  release,
  type BlobRow,
} from "./records.ts";
import type { BlobInput } from "./source.ts";
import type { ObjectLog, ObjectSettings } from "./settings.ts";
import type {
  BlobPart,
  BlobQuery,
  BlobReader,
  ByteRange,
  Collected,
  Composed,
  DirectStore,
  ObjectHealth,
  ObjectsBeside,
  ObjectStore,
  OpenOptions,
  PartRange,
  PartRangeQuery,
  StagedBlob,
  WriteOptions,
} from "./types.ts";
import { writeBlob } from "./write.ts";

export interface BlobStoreParts {
  readonly metadata: MetadataStore;
  readonly driver: BlobDriver;
  readonly clock: GuardedClock;
  readonly log: ObjectLog;
  readonly settings: ObjectSettings;
  readonly schedule?: Schedule | undefined;
  /** Called with the wait of each upload for its place. */
  readonly waited?: (ms: number) => void;
}

/** Opens the store with a driver, and closes the driver at the end. */
export async function openBlobStore(parts: BlobStoreParts): Promise<ObjectStore> {
  const store = new BlobStore(parts);
  await store.start();
  return store;
}

/** Returns a store that only reads, and unlinks blobs in the records. It works beside a running server. */
export function blobStoreBeside(parts: BlobStoreParts): ObjectsBeside {
  return new BlobStore(parts);
}

const HEALTHY: DriverHealth = { ok: true, detail: "blobs can be written", reason: null };

class BlobStore implements ObjectStore {
  readonly direct: DirectStore | null;
  readonly #parts: BlobStoreParts;
  readonly #pins = new Pins();
  readonly #buffers = new Buffers();
  readonly #collector: CollectorParts;
  readonly #uploads: FairTurns;
  #health: DriverHealth = HEALTHY;
  #works: readonly ScheduledWork[] = [];
  #collecting: Promise<Collected> | undefined;

  constructor(parts: BlobStoreParts) {
    this.#parts = parts;
    this.direct = directStoreOf({ ...parts, pins: this.#pins });
    const { metadata, driver, clock, log, settings } = parts;
    this.#uploads = new FairTurns({
      groupMax: settings.uploadsOrganizationMax,
      waitMs: settings.uploadWaitMs,
      refusal: (running, max) => tooManyUploads(running, max, settings.uploadWaitMs),
    });
    this.#collector = { metadata, driver, clock, log, pins: this.#pins, graceMs: settings.graceMs };
  }

  async start(): Promise<void> {
    const { driver, clock, log, settings, schedule = new Schedule(clock) } = this.#parts;
    if (driver.exclusive) await giveUpWrites(this.#collector);
    const everyMs = settings.collectEveryMs;
    if (everyMs === 0) return;
    const failed = (error: unknown): void =>
      log.error({ err: error }, "cannot delete blobs without references; the next run retries");
    const collection = schedule.add("content", { everyMs, run: () => this.#checkAndCollect(), failed });
    const pins = schedule.add("reads under way", {
      everyMs,
      run: () => this.#renewDuringCollection(),
      failed: () => {}, // the next run renews them too
    });
    this.#works = [collection, pins];
  }

  async write(orgId: string, input: BlobInput, options: WriteOptions): Promise<StagedBlob> {
    const { sender, signal } = options;
    if (sender === undefined) return this.#write(orgId, input, options);
    const turn = await this.#uploads.enter({ group: sender.orgId, member: sender.id }, signal);
    this.#parts.waited?.(turn.waitedMs);
    try {
      return await this.#write(orgId, input, options);
    } finally {
      turn.release();
    }
  }

  async #write(orgId: string, input: BlobInput, options: WriteOptions): Promise<StagedBlob> {
    const { inlineBytesMax } = this.#parts.settings;
    try {
      const staged = await writeBlob({ ...this.#parts, pins: this.#pins, inlineBytesMax }, orgId, input, options);
      if (staged.data === null) this.#health = HEALTHY;
      return staged;
    } catch (error) {
      if (error instanceof Problem && !error.isCallers)
        this.#health = { ok: false, detail: error.message, reason: healthReasonOf(error) };
      throw error;
    }
  }

  uploads(): { readonly running: number; readonly waiting: number } {
    const { running, waiting } = this.#uploads;
    return { running, waiting };
  }

  async discard(staged: StagedBlob): Promise<void> {
    if (staged.data !== null) return;
    const { metadata, driver, log } = this.#parts;
    try {
      if (!(await metadata.write((tx) => dropStaged(tx, staged)))) return;
      const deleted = await driver.delete([{ id: staged.id, complete: true }]);
      await metadata.write((tx) => forget(tx, deleted));
    } catch (error) {
      log.warn({ err: error, blob: staged.id }, "cannot delete an unfinished blob; the collector will retry");
    }
  }

  async link(tx: Writer, orgId: string, blob: StagedBlob | string): Promise<void> {
    if (typeof blob === "string") return hold(tx, orgId, [blob]);
    if (blob.orgId !== orgId) throw blobNotFound();
    return linkStaged(tx, blob, this.#parts.clock.nowMs());
  }

  async unlink(tx: Writer, orgId: string, blobIds: readonly string[] | BlobQuery): Promise<void> {
    const { metadata, clock } = this.#parts;
    release(metadata.dialect, tx, orgId, blobIds, clock.nowMs());
  }

  async compose(
    tx: Writer,
    orgId: string,
    parts: readonly PartRange[] | PartRangeQuery,
    digests: Digests = {},
  ): Promise<Composed> {
    const { metadata, clock } = this.#parts;
    const nowMs = clock.nowMs();
    return composeParts(metadata.dialect, tx, orgId, parts, {
      id: newId("blob", nowMs),
      digests: JSON.stringify(digests),
      nowMs,
    });
  }

  async parts(orgId: string, blobId: string): Promise<BlobPart[]> {
    return partsOf(this.#parts.metadata.read, orgId, blobId);
  }

  async open(orgId: string, blobId: string, options: OpenOptions = {}): Promise<BlobReader> {
    const unpin = this.#pins.add(blobId); // before the read, so that the collector cannot delete the blob in between
    try {
      const blob = await liveBlobWithData(this.#parts.metadata.read, orgId, blobId);
      if (blob === undefined) throw blobNotFound();
      const range = checkedRange(blob, options.range);
      const source = await this.#sourceOf(blob, range);
      const { id, size, sha256 } = blob;
      const digests = JSON.parse(blob.digests) as Digests;
      return new OpenBlobReader({ id, size, sha256, digests, range, source, buffers: this.#buffers, closed: unpin });
    } catch (error) {
      unpin();
      throw error;
    }
  }

  async collect(): Promise<Collected> {
    this.#collecting ??= collect(this.#collector).finally(() => (this.#collecting = undefined));
    return this.#collecting;
  }

  async forgetOrganization(orgId: string): Promise<number> {
    await this.#collecting?.catch(() => {});
    await ageBlobs(this.#collector, orgId);
    await this.collect();
    return countBlobs(this.#collector, orgId);
  }

  health(): ObjectHealth {
    return this.#health;
  }

  async probe(): Promise<void> {
    this.#health = await this.#parts.driver.check();
    if (!this.#health.ok) throw new Problem("unavailable", this.#health.detail);
  }

  async close(): Promise<void> {
    for (const work of this.#works) await work.stop();
    await this.#collecting?.catch(() => {});
    await this.#parts.driver.close();
  }

  /** A collection starts by renewing the pins. One that takes longer than the interval must renew them again. */
  async #renewDuringCollection(): Promise<void> {
    if (this.#collecting !== undefined) await renewPins(this.#collector);
  }

  async #checkAndCollect(): Promise<void> {
    const { driver, log } = this.#parts;
    this.#health = await driver.check();
    const { blobs, bytes } = await this.collect();
    if (blobs > 0) log.info({ blobs, bytes }, "deleted blobs without references");
  }

  async #sourceOf(blob: BlobRow & { data: Uint8Array | null }, range: ByteRange): Promise<ByteSource> {
    if (blob.place !== "parts") {
      const stored = { size: blob.size, start: range.start, length: range.end - range.start };
      if (blob.place === "inline") return inlineSource(blob.id, blob.data ?? undefined, stored);
      return this.#storedSource(blob.id, blob.place, blob.store_id, stored);
    }
    const source = new ChainedSource(this.#partSources(blob.id, range));
    try {
      await source.ready();
    } catch (error) {
      await source.close();
      throw error;
    }
    return source;
  }

  async *#partSources(blobId: string, range: ByteRange): AsyncGenerator<() => Promise<ByteSource>> {
    for await (const { partId, place, storeId, ...stored } of stretches(this.#parts.metadata.read, blobId, range)) {
      yield () => this.#storedSource(partId, place, storeId, stored);
    }
  }

  async #storedSource(id: string, place: BlobRow["place"], storeId: string, stored: StoredRange): Promise<ByteSource> {
    const { metadata, driver } = this.#parts;
    if (place === "inline") return inlineSource(id, await inlineData(metadata.read, id), stored);
    if (storeId === driver.storeId) return driver.open(id, stored);
    throw new Problem(
      "unavailable",
      "The content is stored by another server, or at a place that this server is not configured for.",
    );
  }
}

function inlineSource(id: string, data: Uint8Array | undefined, stored: StoredRange): ByteSource {
  if (data === undefined) throw new BlobDamaged(id, "its bytes are missing");
  if (data.length !== stored.size) throw new BlobDamaged(id, `it has ${data.length} bytes, not ${stored.size}`);
  return new MemorySource(data.subarray(stored.start, stored.start + stored.length));
}

function tooManyUploads(running: number, max: number, waitMs: number): Problem {
  const facts = () =>
    ({
      rule: "slots",
      limit: { name: "uploads of the credential or person", max, value: running, untilMs: null },
    }) as const;
  return new Problem(
    "rate_limited",
    `the upload waited ${waitMs} ms for a place: this credential or person has ${running} uploads under way, and may have ${max} at once; wait until some have ended`,
    { retryAfterS: 2, facts },
  );
}
