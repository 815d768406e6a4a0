import type { FileHandle } from "node:fs/promises";

/** Writes all buffers from `position` on, or throws. */
export async function writeAll(handle: FileHandle, buffers: readonly Buffer[], position: number): Promise<void> {
  const total = buffers.reduce((sum, buffer) => sum + buffer.length, 0);
  let { bytesWritten: done } = await handle.writev(buffers, position);
  if (done === total) return;
  // A short write usually means that the disk is nearly full. The next write then fails.
  const rest = Buffer.concat(buffers);
  while (done < total) {
    const { bytesWritten } = await handle.write(rest, done, total - done, position + done);
    done += bytesWritten;
  }
}
