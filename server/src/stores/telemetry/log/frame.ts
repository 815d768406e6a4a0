import { crc32 } from "node:zlib";
import { crc32Joined } from "#kernel/crc32.ts";
import type { StoredTable } from "../spool/tables.ts";

/**
 * A frame of the log, little-endian: magic (4 bytes), length of the description (4), length of the rows (4), CRC-32 (4),
 * sequence number (8), then the description as JSON, then the rows as NDJSON. The CRC covers everything except the magic and
 * the CRC itself.
 */
export const FRAME_HEADER_BYTES = 24;
export const FRAME_MAGIC = Buffer.from("MTF1", "latin1");

/** The interface admits only smaller batches. A greater length in a frame means damage. */
const PART_BYTES_MAX = 64 * 1024 * 1024;

const META_LENGTH_AT = 4;
const ROWS_LENGTH_AT = 8;
const CRC_AT = 12;
const SEQ_AT = 16;

/** The description of a frame's rows. */
export interface FrameMeta {
  readonly orgId: string;
  readonly type: StoredTable;
  readonly count: number;
  readonly keyHash?: string;
  readonly bodyHash?: string;
  /** How long the key is stored; absent: `IDEMPOTENCY_WINDOW_MS`. */
  readonly windowMs?: number;
  /** The file of the spool that the rows come from. */
  readonly piece?: string;
  /** When the batch was accepted, in milliseconds since the epoch. */
  readonly at: number;
}

export interface Frame {
  readonly seq: number;
  readonly meta: FrameMeta;
  /** A view of the read buffer, not a copy. */
  readonly rows: Buffer;
  /** Offset of the byte after the frame. */
  readonly end: number;
}

/** A batch before it is written. Its sequence number is set when its group is written. */
export interface FrameDraft {
  readonly head: Buffer;
  readonly rows: Buffer;
  readonly rowsCrc: number | undefined;
  readonly bytes: number;
}

/** @param rowsCrc CRC-32 of the rows, if it is known. Computing it for 10 MiB blocks the event loop for milliseconds. */
export function draftFrame(meta: FrameMeta, rows: Buffer, rowsCrc?: number): FrameDraft {
  if (rows.length > PART_BYTES_MAX) throw new Error("a batch is larger than the log can hold");
  const text = JSON.stringify(meta);
  const metaBytes = Buffer.byteLength(text);
  const head = Buffer.allocUnsafe(FRAME_HEADER_BYTES + metaBytes);
  FRAME_MAGIC.copy(head, 0);
  head.writeUInt32LE(metaBytes, META_LENGTH_AT);
  head.writeUInt32LE(rows.length, ROWS_LENGTH_AT);
  head.write(text, FRAME_HEADER_BYTES);
  return { head, rows, rowsCrc, bytes: head.length + rows.length };
}

export function sealFrame(draft: FrameDraft, seq: number): void {
  draft.head.writeBigUInt64LE(BigInt(seq), SEQ_AT);
  draft.head.writeUInt32LE(checksum(draft.head, draft.rows, draft.rowsCrc), CRC_AT);
}

/**
 * Returns the length of the frame at the beginning of the buffer, from its header. Returns undefined when there is no frame.
 */
export function frameBytes(buffer: Buffer): number | undefined {
  if (buffer.length < FRAME_HEADER_BYTES || !buffer.subarray(0, FRAME_MAGIC.length).equals(FRAME_MAGIC))
    return undefined;
  const metaBytes = buffer.readUInt32LE(META_LENGTH_AT);
  const rowsBytes = buffer.readUInt32LE(ROWS_LENGTH_AT);
  if (metaBytes > PART_BYTES_MAX || rowsBytes > PART_BYTES_MAX) return undefined;
  return FRAME_HEADER_BYTES + metaBytes + rowsBytes;
}

/** Returns the frame at `offset`, or undefined when it is incomplete or damaged. */
export function readFrame(buffer: Buffer, offset: number): Frame | undefined {
  if (buffer.length - offset < FRAME_HEADER_BYTES) return undefined;
  if (FRAME_MAGIC.compare(buffer, offset, offset + FRAME_MAGIC.length) !== 0) return undefined;
  const metaBytes = buffer.readUInt32LE(offset + META_LENGTH_AT);
  const rowsBytes = buffer.readUInt32LE(offset + ROWS_LENGTH_AT);
  if (metaBytes > PART_BYTES_MAX || rowsBytes > PART_BYTES_MAX) return undefined;
  const rowsAt = offset + FRAME_HEADER_BYTES + metaBytes;
  const end = rowsAt + rowsBytes;
  if (end > buffer.length) return undefined;
  const rows = buffer.subarray(rowsAt, end);
  if (checksum(buffer.subarray(offset, rowsAt), rows) !== buffer.readUInt32LE(offset + CRC_AT)) return undefined;
  const meta = JSON.parse(buffer.toString("utf8", offset + FRAME_HEADER_BYTES, rowsAt)) as FrameMeta;
  return { seq: Number(buffer.readBigUInt64LE(offset + SEQ_AT)), meta, rows, end };
}

/**
 * Returns the next undamaged frame at or after `offset`, so that reading can continue after damage. Rows can't look like a
 * frame: the high byte of a length is below 0x05, which JSON text never has.
 */
export function findFrame(buffer: Buffer, offset: number): { frame: Frame; at: number } | undefined {
  let at = buffer.indexOf(FRAME_MAGIC, offset);
  while (at >= 0) {
    const frame = readFrame(buffer, at);
    if (frame !== undefined) return { frame, at };
    at = buffer.indexOf(FRAME_MAGIC, at + 1);
  }
  return undefined;
}

function checksum(head: Buffer, rows: Buffer, rowsCrc?: number): number {
  const ofHead = crc32(head.subarray(SEQ_AT), crc32(head.subarray(META_LENGTH_AT, CRC_AT)));
  return rowsCrc === undefined ? crc32(rows, ofHead) : crc32Joined(ofHead, rowsCrc, rows.length);
}
