import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { logLines, spanLines, type Shape } from "./entries.ts";

/**
 * Entries as NDJSON in a file, in batches. The file is written before the measurement, so that the generator does not
 * slow down the measurement.
 */
export interface Batches {
  readonly path: string;
  readonly entries: number;
  readonly bytes: number;
  /** The offset of each batch, and the end of the last one. */
  readonly offsets: readonly number[];
}

export const BATCH_ENTRIES = 1000;

export function writeLogs(dir: string, shape: Shape): Batches {
  return write(join(dir, "logs.ndjson"), shape.entries, (first, count) => logLines(shape, first, count));
}

export function writeSpans(dir: string, shape: Shape): Batches {
  return write(join(dir, "spans.ndjson"), shape.spans, (first, count) => spanLines(shape, first, count));
}

function write(path: string, entries: number, lines: (first: number, count: number) => string[]): Batches {
  const file = openSync(path, "wx");
  const offsets = [0];
  let bytes = 0;
  for (let first = 0; first < entries; first += BATCH_ENTRIES) {
    const batch = Buffer.from(`${lines(first, Math.min(BATCH_ENTRIES, entries - first)).join("\n")}\n`);
    writeSync(file, batch);
    bytes += batch.length;
    offsets.push(bytes);
  }
  closeSync(file);
  return { path, entries, bytes, offsets };
}
