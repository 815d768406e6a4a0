import { open, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { syncDirectory } from "#stores/directory/index.ts";
import { segmentName } from "../layout.ts";
import { writeAll } from "../write-all.ts";

/** The file operations that a segment needs. Tests replace them to simulate a failing disk. */
export interface SegmentFile {
  /** Writes everything or throws. */
  write(buffers: readonly Buffer[], position: number): Promise<void>;
  datasync(): Promise<void>;
  truncate(bytes: number): Promise<void>;
  close(): Promise<void>;
}

export type CreateSegmentFile = (path: string) => Promise<SegmentFile>;

/** A segment of the log and its content. */
export interface SegmentInfo {
  readonly path: string;
  readonly firstSeq: number;
  /** The last acknowledged batch; `firstSeq - 1` while there is none. */
  lastSeq: number;
  bytes: number;
  /** When the last batch was accepted, in milliseconds since the epoch. */
  lastAtMs: number;
  /** For each table (`org/type`), the last batch in this segment. */
  readonly tables: Map<string, number>;
}

export function newSegmentInfo(dir: string, firstSeq: number): SegmentInfo {
  return {
    path: join(dir, segmentName(firstSeq)),
    firstSeq,
    lastSeq: firstSeq - 1,
    bytes: 0,
    lastAtMs: 0,
    tables: new Map(),
  };
}

/**
 * Creates a new, empty file whose name survives a crash. Deletes an existing file of this name, because it has no
 * acknowledged batch.
 */
export async function createSegmentFile(path: string): Promise<SegmentFile> {
  await rm(path, { force: true });
  const handle = await open(path, "wx", 0o600);
  try {
    await syncDirectory(dirname(path));
  } catch (error) {
    await handle.close();
    await rm(path, { force: true });
    throw error;
  }
  return {
    write: (buffers, position) => writeAll(handle, buffers, position),
    datasync: () => handle.datasync(),
    truncate: (bytes) => handle.truncate(bytes),
    close: () => handle.close(),
  };
}
