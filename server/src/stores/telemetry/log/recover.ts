import { open, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { segmentFirstSeq } from "../layout.ts";
import type { TelemetryLog } from "../settings.ts";
import { findFrame, readFrame, type Frame } from "./frame.ts";
import { newSegmentInfo, type SegmentInfo } from "./segment.ts";

export interface RecoveryOptions {
  readonly dir: string;
  /** The directory for damaged bytes. */
  readonly asideDir: string;
  readonly log: TelemetryLog;
  /** Called for each batch, in order. `rows` is only valid during the call. */
  readonly batch: (frame: Frame) => void;
  /** Called after each segment. Work that `batch` started can finish here. */
  readonly pause: () => Promise<void>;
}

export interface Recovered {
  readonly segments: SegmentInfo[];
  /** The last batch that was found, or 0. */
  readonly lastSeq: number;
}

/**
 * Reads the log from its beginning. A half-written end was never acknowledged and is cut off. Any other damage is reported,
 * stored separately and skipped.
 */
export async function recoverLog(options: RecoveryOptions): Promise<Recovered> {
  const firsts = await segmentsIn(options.dir);
  const segments: SegmentInfo[] = [];
  let lastSeq = 0;
  for (const [index, firstSeq] of firsts.entries()) {
    const segment = newSegmentInfo(options.dir, firstSeq);
    if (lastSeq > 0 && firstSeq !== lastSeq + 1) {
      options.log.error(
        { segment: segment.path, last_seq: lastSeq, first_seq: firstSeq },
        "batches are missing from the telemetry log",
      );
    }
    await readSegment(segment, firsts[index + 1], options);
    await options.pause();
    if (segment.lastSeq < segment.firstSeq) {
      await rm(segment.path, { force: true });
      continue;
    }
    lastSeq = segment.lastSeq;
    segments.push(segment);
  }
  return { segments, lastSeq };
}

async function segmentsIn(dir: string): Promise<number[]> {
  const firsts = (await readdir(dir)).map(segmentFirstSeq).filter((seq) => seq !== undefined);
  return firsts.toSorted((a, b) => a - b);
}

async function readSegment(
  segment: SegmentInfo,
  nextFirst: number | undefined,
  options: RecoveryOptions,
): Promise<void> {
  const buffer = await readFile(segment.path);
  let offset = 0;
  while (offset < buffer.length) {
    // A segment ends where the next one begins. Later bytes were rejected, see `WriteAheadLog`.
    if (nextFirst !== undefined && segment.lastSeq + 1 >= nextFirst) break;
    const frame = readFrame(buffer, offset);
    if (frame !== undefined && frame.seq > segment.lastSeq) {
      take(segment, frame, options);
      offset = frame.end;
      continue;
    }
    const next = findFrame(buffer, offset + 1);
    if (next === undefined && nextFirst === undefined) {
      await cutTail(segment, offset, buffer.length, options);
      break;
    }
    await keepAside(segment, buffer.subarray(offset, next?.at), offset, options);
    offset = next?.at ?? buffer.length;
  }
  segment.bytes = Math.min(offset, buffer.length);
}

function take(segment: SegmentInfo, frame: Frame, options: RecoveryOptions): void {
  if (frame.seq !== segment.lastSeq + 1) {
    const fields = { segment: segment.path, after: segment.lastSeq, found: frame.seq };
    options.log.error(fields, "batches are missing from the telemetry log");
  }
  segment.lastSeq = frame.seq;
  segment.lastAtMs = frame.meta.at;
  segment.tables.set(`${frame.meta.orgId}/${frame.meta.type}`, frame.seq);
  options.batch(frame);
}

async function cutTail(segment: SegmentInfo, offset: number, size: number, options: RecoveryOptions): Promise<void> {
  options.log.info({ segment: segment.path, bytes: size - offset }, "cut an unfinished write off the telemetry log");
  const handle = await open(segment.path, "r+");
  try {
    await handle.truncate(offset);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function keepAside(segment: SegmentInfo, bytes: Buffer, offset: number, options: RecoveryOptions): Promise<void> {
  const path = join(options.asideDir, `${basename(segment.path)}-${offset}.bin`);
  await writeFile(path, bytes, { mode: 0o600, flush: true });
  options.log.error({ segment: segment.path, offset, bytes: bytes.length, kept: path }, "the telemetry log is damaged");
}
