/**
 * The parts of FlatBuffers that Arrow's messages need, written from the root to the leaves. A node only refers to later
 * nodes, because offsets are unsigned.
 */
export type Node = Table | Text | Refs | Structs;
/** Members by number. An absent member is undefined. */
export type Table = { readonly table: readonly (Member | undefined)[] };
type Text = { readonly text: string };
/** A vector of tables. */
type Refs = { readonly refs: readonly Node[] };
/** A vector of structs of 64-bit numbers. `longs` has the numbers of all structs. */
type Structs = { readonly longs: readonly number[]; readonly perStruct: number };
/** A number of this many bytes, or another node. */
type Member = { readonly bytes: 1 | 2 | 4 | 8; readonly value: number } | { readonly node: Node };

export const u8 = (value: number): Member => ({ bytes: 1, value });
export const bool = (value: boolean): Member => ({ bytes: 1, value: value ? 1 : 0 });
export const i16 = (value: number): Member => ({ bytes: 2, value });
export const i32 = (value: number): Member => ({ bytes: 4, value });
export const i64 = (value: number): Member => ({ bytes: 8, value });
export const table = (...members: readonly (Member | undefined)[]): Table => ({ table: members });
export const ref = (node: Node): Member => ({ node });
export const text = (value: string): Member => ref({ text: value });
export const refs = (nodes: readonly Node[]): Member => ref({ refs: nodes });
export const structs = (longs: readonly number[], perStruct: number): Member => ref({ longs, perStruct });

const OFFSET_BYTES = 4;
const ALIGNMENT = 8; // size of the largest number; this aligns all others too

/** Returns the bytes of a buffer with this root. Their number is a multiple of 8. */
export function flatBuffer(root: Table): Uint8Array {
  const output = new Output();
  const start = output.extend(OFFSET_BYTES);
  output.refer(start, place(output, root));
  output.align(ALIGNMENT, 0);
  return output.taken();
}

class Output {
  #view = new DataView(new ArrayBuffer(1024));
  #length = 0;

  /**
   * Adds zeros.
   * @returns the position of the first one
   */
  extend(count: number): number {
    const at = this.#length;
    this.#length += count;
    if (this.#length > this.#view.byteLength) {
      const larger = new Uint8Array(Math.max(this.#length, 2 * this.#view.byteLength));
      larger.set(new Uint8Array(this.#view.buffer, 0, at));
      this.#view = new DataView(larger.buffer);
    }
    return at;
  }

  /** Adds zeros until the position is `rest` more than a multiple of `alignment`. */
  align(alignment: number, rest: number): void {
    while (this.#length % alignment !== rest) this.extend(1);
  }

  /** Writes the distance to `target` at `at`. */
  refer(at: number, target: number): void {
    this.#view.setUint32(at, target - at, true);
  }

  put(at: number, bytes: 1 | 2 | 4 | 8, value: number): void {
    if (bytes === 1) this.#view.setUint8(at, value);
    else if (bytes === 2) this.#view.setInt16(at, value, true);
    else if (bytes === 4) this.#view.setInt32(at, value, true);
    else this.#view.setBigInt64(at, BigInt(value), true);
  }

  copy(at: number, bytes: Uint8Array): void {
    new Uint8Array(this.#view.buffer).set(bytes, at);
  }

  taken(): Uint8Array {
    return new Uint8Array(this.#view.buffer, 0, this.#length);
  }
}

/** @returns the position of the node, for references to it */
function place(output: Output, node: Node): number {
  if ("table" in node) return placeTable(output, node.table);
  if ("text" in node) return placeText(output, node.text);
  return "refs" in node ? placeRefs(output, node.refs) : placeStructs(output, node);
}

/** Writes the table of member offsets, then the members. */
function placeTable(output: Output, members: Table["table"]): number {
  output.align(2, 0);
  const list = output.extend(2 * (2 + members.length));
  output.align(ALIGNMENT, 0);
  const start = output.extend(OFFSET_BYTES);
  output.put(start, 4, start - list);
  const places = members.map((member) => {
    if (member === undefined) return 0;
    const size = "node" in member ? OFFSET_BYTES : member.bytes;
    output.align(size, 0);
    return output.extend(size);
  });
  const end = output.extend(0);
  output.put(list, 2, 2 * (2 + members.length));
  output.put(list + 2, 2, end - start);
  members.forEach((member, i) => {
    const at = places[i] ?? 0;
    if (member === undefined) return;
    output.put(list + 2 * (2 + i), 2, at - start);
    if ("node" in member) output.refer(at, place(output, member.node));
    else output.put(at, member.bytes, member.value);
  });
  return start;
}

function placeText(output: Output, value: string): number {
  const bytes = Buffer.from(value);
  output.align(OFFSET_BYTES, 0);
  const start = output.extend(OFFSET_BYTES + bytes.length + 1); // a text ends with NUL
  output.put(start, 4, bytes.length);
  output.copy(start + OFFSET_BYTES, bytes);
  return start;
}

function placeRefs(output: Output, nodes: readonly Node[]): number {
  output.align(OFFSET_BYTES, 0);
  const start = output.extend(OFFSET_BYTES * (1 + nodes.length));
  output.put(start, 4, nodes.length);
  nodes.forEach((node, i) => {
    output.refer(start + OFFSET_BYTES * (1 + i), place(output, node));
  });
  return start;
}

function placeStructs(output: Output, { longs, perStruct }: Structs): number {
  output.align(ALIGNMENT, ALIGNMENT - OFFSET_BYTES); // aligns the numbers after the count
  const start = output.extend(OFFSET_BYTES + 8 * longs.length);
  output.put(start, 4, longs.length / perStruct);
  longs.forEach((value, i) => {
    output.put(start + OFFSET_BYTES + 8 * i, 8, value);
  });
  return start;
}
