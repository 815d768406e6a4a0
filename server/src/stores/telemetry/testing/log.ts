import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { WriteAheadLog, type LogOptions } from "../log/log.ts";
import { recoverLog } from "../log/recover.ts";
import { createSegmentFile, type CreateSegmentFile, type SegmentFile } from "../log/segment.ts";
import { recordingLog, type LogLine } from "./store.ts";

/** A log without a store: its content when it was opened, and the batches committed since. */
export interface TestLog {
  readonly wal: WriteAheadLog;
  /** Rows in the order of the log, recovered ones first. */
  readonly rows: string[];
  readonly recovered: number;
  readonly lines: readonly LogLine[];
  /** Path of the segments. */
  readonly dir: string;
  readonly aside: string;
  append(text: string): Promise<void>;
}

export async function openTestLog(
  root: string,
  change: Partial<Pick<LogOptions, "segmentBytes" | "create" | "diskFreeBytesMin" | "committed">> = {},
): Promise<TestLog> {
  const dir = join(root, "wal");
  const aside = join(root, "aside");
  await mkdir(dir, { recursive: true });
  await mkdir(aside, { recursive: true });
  const log = recordingLog();
  const rows: string[] = [];
  const recovery = await recoverLog({
    dir,
    asideDir: aside,
    log,
    batch: (frame) => void rows.push(frame.rows.toString()),
    pause: () => Promise.resolve(),
  });
  const recovered = rows.length;
  const wal = new WriteAheadLog({
    dir,
    segmentBytes: 1024 * 1024,
    diskFreeBytesMin: 0,
    create: createSegmentFile,
    log,
    segments: recovery.segments,
    nextSeq: recovery.lastSeq + 1,
    committed: (_seq, _meta, bytes) => void rows.push(bytes.toString()),
    ...change,
  });
  const append = (text: string): Promise<void> =>
    wal.append({ orgId: "org_a", type: "logs", count: 1, at: 1 }, Buffer.from(text));
  return { wal, rows, recovered, lines: log.lines, dir, aside, append };
}

export type Fault = "write" | "datasync" | "truncate" | "create";

/** Returns the real files with faults that a test turns on: the operation then fails, a write after half of its bytes. */
export function faultyFiles(faults: Set<Fault>): CreateSegmentFile {
  const failing = (fault: Fault): void => {
    if (faults.has(fault)) throw Object.assign(new Error(`${fault} failed`), { code: "EIO" });
  };
  return async (path) => {
    failing("create");
    const file = await createSegmentFile(path);
    return {
      write: async (buffers, position) => {
        if (faults.has("write")) await writeHalf(file, buffers, position);
        failing("write");
        await file.write(buffers, position);
      },
      datasync: async () => {
        failing("datasync");
        await file.datasync();
      },
      truncate: async (bytes) => {
        failing("truncate");
        await file.truncate(bytes);
      },
      close: () => file.close(),
    };
  };
}

async function writeHalf(file: SegmentFile, buffers: readonly Buffer[], position: number): Promise<void> {
  const all = Buffer.concat(buffers);
  await file.write([all.subarray(0, all.length >> 1)], position);
}
