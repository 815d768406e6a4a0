import { trustedClock } from "#kernel/testing.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "#kernel/time.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { openTestMetadata } from "#stores/metadata/testing.ts";
import type { BlobDriver } from "../driver.ts";
import { openFilesystem, type FilesystemOptions } from "../filesystem/driver.ts";
import { OBJECT_DEFAULTS, type ObjectLog, type ObjectSettings } from "../settings.ts";
import { openBlobStore } from "../store.ts";
import type { ObjectStore, StagedBlob, WriteOptions } from "../types.ts";

/** Helpers for tests of the store: a store in a new directory, a clock that the test sets, and content. */

export const MIB = 1024 ** 2;
export const KIB = 1024;
/** The time of one change. Composing the largest objects takes longer than the product's limit on a busy machine. */
const WAIT_MS = 60_000;

export interface LogLine {
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export function recordingLog(): ObjectLog & { readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  const add = (fields: object, message: string): void => void lines.push({ message, fields: { ...fields } });
  return { lines, info: add, warn: add, error: add };
}

export interface TestClock extends Clock {
  advance(ms: number): void;
}

export function testClock(): TestClock {
  let nowMs = Date.UTC(2026, 10, 20, 8);
  return { nowMs: () => nowMs, advance: (ms) => void (nowMs += ms) };
}

export async function temporaryDirectory(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), "mooring-objects-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** The default settings, but without a schedule and without reserved disk space. */
export function testSettings(change: Partial<ObjectSettings> = {}): ObjectSettings {
  return { ...OBJECT_DEFAULTS, collectEveryMs: 0, diskFreeBytesMin: 0, ...change };
}

export interface OpenObjects {
  readonly objects: ObjectStore;
  readonly metadata: MetadataStore;
  readonly driver: BlobDriver;
  readonly clock: TestClock;
  readonly log: ReturnType<typeof recordingLog>;
  close(): Promise<void>;
}

export interface OpenChange {
  readonly clock?: TestClock;
  readonly settings?: ObjectSettings;
  readonly url?: string;
  readonly openDriver?: (options: FilesystemOptions) => Promise<BlobDriver>;
  readonly operations?: FilesystemOptions["operations"];
}

export async function openTestObjects(dataDir: string, change: OpenChange = {}): Promise<OpenObjects> {
  const { clock = testClock(), settings = testSettings(), url, openDriver = openFilesystem, operations } = change;
  const log = recordingLog();
  const metadata = await openTestMetadata({ url, dataDir, clock, waitMs: WAIT_MS });
  try {
    const { diskFreeBytesMin } = settings;
    const driver = await openDriver({ dataDir, clock, log, diskFreeBytesMin, ...(operations && { operations }) });
    const objects = await openBlobStore({ metadata, driver, clock: trustedClock(clock), log, settings });
    const close = async (): Promise<void> => {
      await objects.close();
      await metadata.close();
    };
    return { objects, metadata, driver, clock, log, close };
  } catch (error) {
    await metadata.close();
    throw error;
  }
}

/** Returns bytes that depend on the seed only, and that don't repeat. */
export function contentOf(seed: number, bytes: number): Buffer {
  const words = new Uint32Array(Math.ceil(bytes / 4));
  let state = (seed + 1) * 0x9e3779b1;
  for (let i = 0; i < words.length; i++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    words[i] = state;
  }
  return Buffer.from(words.buffer, 0, bytes);
}

/** Yields the bytes in chunks of uneven sizes. */
export async function* piecesOf(content: Uint8Array, bytesMax = 70_000): AsyncGenerator<Uint8Array> {
  for (let at = 0, size = 1; at < content.length; at += size, size = 1 + ((size * 7919) % bytesMax)) {
    yield content.subarray(at, at + size);
  }
}

export const LIMIT: WriteOptions = { bytesMax: 64 * MIB };

export async function linkNow(
  { objects, metadata }: OpenObjects,
  staged: StagedBlob | string,
  orgId = "org_a",
): Promise<void> {
  await metadata.write((tx) => objects.link(tx, orgId, staged));
}

/** Writes and links content. Returns the blob's ID. */
export async function keep(store: OpenObjects, content: Uint8Array, orgId = "org_a"): Promise<string> {
  const staged = await store.objects.write(orgId, content, LIMIT);
  await linkNow(store, staged, orgId);
  return staged.id;
}

export async function unlinkNow({ objects, metadata }: OpenObjects, ...ids: string[]): Promise<void> {
  await metadata.write((tx) => objects.unlink(tx, "org_a", ids));
}

export async function readAll(
  { objects }: OpenObjects,
  id: string,
  range?: { start: number; end: number },
): Promise<Buffer> {
  const reader = await objects.open("org_a", id, range === undefined ? {} : { range });
  return Buffer.concat(await collected(reader.chunks()));
}

export async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** @throws if there are fewer items */
export function nth<T>(items: readonly T[], index: number): T {
  if (index >= items.length) throw new Error(`there are only ${items.length} items`);
  return items[index] as T;
}
