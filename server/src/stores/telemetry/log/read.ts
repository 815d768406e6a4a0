import { open, type FileHandle } from "node:fs/promises";
import { FRAME_HEADER_BYTES, findFrame, frameBytes, readFrame, type Frame } from "./frame.ts";
import type { SegmentInfo } from "./segment.ts";

const CHUNK_BYTES = 1024 * 1024;

/**
 * The batches that a segment has acknowledged by now, in order, read piece by piece beside the writer. Damaged bytes
 * are skipped: recovery has reported them. Undefined when the segment was deleted. Yielded batches do not change.
 */
export async function readSegment({ path, bytes, lastSeq }: SegmentInfo): Promise<AsyncIterable<Frame> | undefined> {
  let handle: FileHandle;
  try {
    handle = await open(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  return framesOf(handle, bytes, lastSeq);
}

/** Closes the file at the end, so the caller must read to the end. */
async function* framesOf(handle: FileHandle, end: number, lastSeq: number): AsyncGenerator<Frame> {
  try {
    let buffer: Buffer = Buffer.alloc(0);
    let at = 0;
    let previous = 0;
    while (at < end) {
      const frame = nextFrame(buffer, at + buffer.length >= end);
      if (frame === undefined) {
        buffer = await readMore(handle, buffer, at, end);
        continue;
      }
      if (frame === null || frame.seq > lastSeq) return;
      // As in recovery: a frame that does not continue the one before is void.
      if (frame.seq > previous) yield frame;
      previous = Math.max(previous, frame.seq);
      at += frame.end;
      buffer = buffer.subarray(frame.end);
    }
  } finally {
    await handle.close();
  }
}

/** Undefined: more bytes are needed. Null: there are no more frames. */
function nextFrame(buffer: Buffer, whole: boolean): Frame | null | undefined {
  if (!whole && (buffer.length < FRAME_HEADER_BYTES || buffer.length < (frameBytes(buffer) ?? 0))) return undefined;
  const frame = readFrame(buffer, 0);
  if (frame !== undefined) return frame;
  // Damage: as far as the next frame, for which everything must be there.
  return whole ? (findFrame(buffer, 1)?.frame ?? null) : undefined;
}

/** At least twice the bytes so far: so a frame of any size is complete after few reads. */
async function readMore(handle: FileHandle, have: Buffer, at: number, end: number): Promise<Buffer> {
  const from = at + have.length;
  const buffer = Buffer.allocUnsafeSlow(Math.min(have.length + Math.max(CHUNK_BYTES, have.length), end - at));
  have.copy(buffer);
  for (let filled = have.length; filled < buffer.length;) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, from + filled - have.length);
    if (bytesRead === 0) throw new Error("a segment of the log is shorter than it was");
    filled += bytesRead;
  }
  return buffer;
}
