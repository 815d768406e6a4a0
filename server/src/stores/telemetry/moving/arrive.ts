import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Clock } from "#kernel/time.ts";
import { lockDirectory } from "#stores/directory/index.ts";
import type { Writer } from "#stores/metadata/index.ts";
import { isPromotable } from "../columns.ts";
import { STORED_TABLES } from "../spool/tables.ts";
import { noteReplacing, publish } from "../compaction/publish.ts";
import { makeWorkFolder, removeWork } from "../compaction/work.ts";
import { assertPathSafe, layoutOf, parquetPath, type Layout } from "../layout.ts";
import type { ManifestFile } from "../manifest.ts";
import { prepareFolders } from "../startup.ts";
import { readStoreId } from "../store-id.ts";
import { insertFiles } from "./store.ts";
import type { MovedRow } from "./types.ts";

/** A Parquet file of an archive. */
export interface ArrivingFile {
  readonly row: MovedRow;
  /** Hexadecimal. */
  readonly sha256: string;
  read(): AsyncIterable<Uint8Array>;
}

/** The files in their places, which count from the commit of `insert`. */
export interface ArrivedTelemetry {
  insert(tx: Writer): Promise<void>;
  /** Call it after the commit. */
  finish(): Promise<void>;
  /** Ends the work on the directory. */
  release(): void;
}

/**
 * Copies Parquet files of an organization into a telemetry directory that no server has open. Files that an interrupted
 * call has copied are not copied again. A note names all of them first, so that a server deletes them at its start if
 * they were not committed.
 * @throws Error when a file differs from its digest, or a server has the directory open
 */
export async function arrivingTelemetry(
  {
    dataDir,
    clock,
    isOpen = false,
  }: {
    readonly dataDir: string;
    readonly clock: Clock;
    /** Whether this process has the directory open. */
    readonly isOpen?: boolean;
  },
  orgId: string,
  files: readonly ArrivingFile[],
  copied: (file: ArrivingFile) => void,
): Promise<ArrivedTelemetry> {
  assertPathSafe(orgId);
  const layout = layoutOf(dataDir);
  await mkdir(layout.root, { recursive: true, mode: 0o700 });
  const release = isOpen ? (): void => undefined : lockDirectory(layout.lock, "telemetry");
  try {
    if (!isOpen) await prepareFolders(layout);
    const storeId = await readStoreId(layout, clock);
    const placed = files.map((file) => placedRow(orgId, file.row));
    const note = await noteReplacing(layout, `moving-${orgId}`, { dropped: [], added: placed.map(({ path }) => path) });
    for (const [i, file] of files.entries()) {
      await place(layout, file, placed[i]);
      copied(file);
    }
    return {
      insert: (tx) => insertFiles(tx, storeId, placed),
      finish: () => rm(note, { force: true }),
      release,
    };
  } catch (error) {
    release();
    throw error;
  }
}

const DAY = /^(\d{4}-\d{2}-\d{2})?$/;

/**
 * Returns the row of a file here. The number of a batch of another server's log means nothing here, so its name has none.
 * @throws Error when a value is not one that a server writes
 */
function placedRow(orgId: string, row: MovedRow): ManifestFile {
  const { id, org_id, type, rows, bytes, min_us, max_us, day, promoted, created_at, spellings } = row;
  assertPathSafe(id);
  const numbers = [rows, bytes, min_us, max_us, created_at, spellings];
  const isValid =
    STORED_TABLES.includes(type) &&
    numbers.every((number) => Number.isSafeInteger(number)) &&
    [rows, bytes, spellings].every((number) => number >= 0) &&
    DAY.test(day) &&
    arePromoted(promoted);
  if (org_id !== orgId || !isValid) throw new Error(`${id} is not a telemetry file of the organization`);
  const path = parquetPath(orgId, type, 0, 0, id);
  return { id, org_id, type, path, rows, bytes, min_us, max_us, day, promoted, created_at, spellings };
}

/** Names of attributes become names of columns. */
function arePromoted(text: string): boolean {
  try {
    const names: unknown = JSON.parse(text);
    return Array.isArray(names) && names.every((name) => typeof name === "string" && isPromotable(name));
  } catch {
    return false;
  }
}

async function place(layout: Layout, file: ArrivingFile, target: ManifestFile | undefined): Promise<void> {
  if (target === undefined) return;
  const at = join(layout.root, target.path);
  if ((await sizeOf(at)) === file.row.bytes && (await digestOf(at)) === file.sha256) return;
  const folder = await makeWorkFolder(layout);
  try {
    const temporary = join(folder, `${target.id}.parquet`);
    const hash = createHash("sha256");
    const handle = await open(temporary, "wx", 0o600);
    try {
      let size = 0;
      for await (const chunk of file.read()) {
        size += chunk.length;
        if (size > file.row.bytes) break;
        hash.update(chunk);
        await handle.writeFile(chunk);
      }
    } finally {
      await handle.close();
    }
    if (hash.digest("hex") !== file.sha256 || (await sizeOf(temporary)) !== file.row.bytes)
      throw new Error(`the Parquet file ${target.id} was altered: its checksum differs`);
    await publish(temporary, at, layout.root);
  } finally {
    await removeWork(folder);
  }
}

async function sizeOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.size;
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path, { highWaterMark: 1024 ** 2 }), hash);
  return hash.digest("hex");
}
