import type { ColumnData } from "../columns/column.ts";
import type { Field } from "../columns/types.ts";
import { flatBuffer, i16, i64, ref, structs, table, u8, type Table } from "./flatbuffer.ts";
import { schemaTable } from "./schema.ts";

/** Numbers of Message.fbs: the version of the metadata, and the types of messages. */
const VERSION_5 = 4;
const SCHEMA = 1;
const RECORD_BATCH = 3;

const CONTINUATION = 0xff_ff_ff_ff;
const PREFIX_BYTES = 8;
const ALIGNMENT = 8;

export function schemaMessage(fields: readonly Field[]): Uint8Array {
  return message(SCHEMA, schemaTable(fields), []);
}

/** Returns a record batch with a copy of the columns' rows. */
export function batchMessage(rows: number, columns: readonly ColumnData[]): Uint8Array {
  const layout: Layout = { nodes: [], buffers: [], places: [], bytes: 0 };
  for (const column of columns) lay(layout, column);
  const batch = table(i64(rows), structs(layout.nodes, 2), structs(layout.places, 2));
  return message(RECORD_BATCH, batch, layout.buffers);
}

/** Ends a stream (Columnar Format, "IPC Streaming Format"). */
export function endOfStream(): Uint8Array {
  const bytes = new Uint8Array(PREFIX_BYTES);
  new DataView(bytes.buffer).setUint32(0, CONTINUATION, true);
  return bytes;
}

interface Layout {
  /** The length and the number of NULLs of each column, children included. */
  readonly nodes: number[];
  readonly buffers: Uint8Array[];
  /** The offset and length of each buffer in the body. */
  readonly places: number[];
  bytes: number;
}

/** A column and its children, depth first. */
function lay(layout: Layout, { valid, offsets, values, children }: ColumnData): void {
  const nulls = valid.length - valid.ones;
  layout.nodes.push(valid.length, nulls);
  addBuffer(layout, nulls === 0 ? new Uint8Array() : valid.taken());
  if (offsets !== undefined) addBuffer(layout, offsets.taken());
  if (values !== undefined) addBuffer(layout, values.taken());
  for (const child of children) lay(layout, child);
}

function addBuffer(layout: Layout, bytes: Uint8Array): void {
  layout.places.push(layout.bytes, bytes.length);
  layout.buffers.push(bytes);
  layout.bytes += padded(bytes.length);
}

/** "Encapsulated message format": a marker, the length of the metadata, the metadata, the body. */
function message(kind: number, header: Table, buffers: readonly Uint8Array[]): Uint8Array {
  const bodyBytes = buffers.reduce((sum, buffer) => sum + padded(buffer.length), 0);
  const metadata = flatBuffer(table(i16(VERSION_5), u8(kind), ref(header), i64(bodyBytes)));
  const bytes = new Uint8Array(PREFIX_BYTES + metadata.length + bodyBytes);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, CONTINUATION, true);
  view.setInt32(4, metadata.length, true);
  bytes.set(metadata, PREFIX_BYTES);
  let at = PREFIX_BYTES + metadata.length;
  for (const buffer of buffers) {
    bytes.set(buffer, at);
    at += padded(buffer.length);
  }
  return bytes;
}

function padded(bytes: number): number {
  return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
}
