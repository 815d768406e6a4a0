import { open, type FileHandle } from "node:fs/promises";
import { FRAME_HEADER_BYTES, findFrame, frameBytes, readFrame, type Frame } from "./frame.ts";
import type { SegmentInfo } from "./segment.ts";

const CHUNK_BYTES = 1024 * 1024;

/**
 * Yields the acknowledged batches of a segment, in order, while the writer continues. Skips damaged bytes, which recovery
 * has already reported. Returns undefined when the segment was deleted. Yielded batches do not change.
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

/** Closes the file at the end. The caller must read to the end. */
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
      // As in recovery, a frame that does not continue the previous one is ignored.
      if (frame.seq > previous) yield frame;
      previous = Math.max(previous, frame.seq);
      at += frame.end;
      buffer = buffer.subarray(frame.end);
    }
  } finally {
    await handle.close();
  }
}

/** Returns undefined when more bytes are needed, and null when there are no more frames. */
function nextFrame(buffer: Buffer, whole: boolean): Frame | null | undefined {
  if (!whole && (buffer.length < FRAME_HEADER_BYTES || buffer.length < (frameBytes(buffer) ?? 0))) return undefined;
  const frame = readFrame(buffer, 0);
  if (frame !== undefined) return frame;
  // Damage: searches the next frame, which needs all bytes of the segment.
  return whole ? (findFrame(buffer, 1)?.frame ?? null) : undefined;
}

/** Reads at least as many bytes as are already there, so that even a large frame is complete after few reads. */
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
