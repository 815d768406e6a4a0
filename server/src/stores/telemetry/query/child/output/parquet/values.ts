import { Bits, Bytes } from "../columns/bytes.ts";
import { offsetAt, type FilledLeaf, type Levels } from "./leaves.ts";
import { physicalOf } from "./schema.ts";

const LENGTH_BYTES = 4;

/** Returns the content of a data page, version 1: levels, then the present values in the encoding PLAIN. */
export function pageContent({ leaf, data, levels }: FilledLeaf): Buffer {
  const page = new Bytes();
  putLevels(page, levels.repetition, leaf.repetitionMax);
  putLevels(page, levels.definition, leaf.definitionMax);
  const { values, offsets } = data;
  if (values instanceof Bits) putBits(page, values, levels);
  else if (values !== undefined && offsets !== undefined) putTexts(page, values, offsets, levels);
  else if (values !== undefined) putFixed(page, { leaf, data, levels }, values);
  return page.taken();
}

/** Writes levels as run-length encoding with its length before it. Writes nothing when there is only one level. */
function putLevels(page: Bytes, levels: readonly number[], max: number): void {
  if (max === 0) return;
  const levelBytes = max > 0xff ? 2 : 1;
  const start = page.extend(LENGTH_BYTES);
  for (let from = 0, to = 0; from < levels.length; from = to) {
    const level = levels[from] ?? 0;
    while (to < levels.length && levels[to] === level) to++;
    putRun(page, to - from, level, levelBytes);
  }
  page.view.setUint32(start, page.length - start - LENGTH_BYTES, true);
}

function putRun(page: Bytes, count: number, level: number, levelBytes: 1 | 2): void {
  let rest = count * 2; // the lowest bit distinguishes a run from packed bits
  for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) putByte(page, (rest & 0x7f) | 0x80);
  putByte(page, rest);
  putByte(page, level & 0xff);
  if (levelBytes === 2) putByte(page, level >> 8);
}

function putByte(page: Bytes, value: number): void {
  const at = page.extend(1);
  page.view.setUint8(at, value);
}

function putBits(page: Bytes, values: Bits, { index }: Levels): void {
  const packed = new Bits();
  for (const at of index) if (at >= 0) packed.push(values.get(at));
  page.append(packed.taken());
}

function putTexts(page: Bytes, values: Bytes, offsets: Bytes, { index }: Levels): void {
  const content = values.taken();
  for (const at of index) {
    if (at < 0) continue;
    const [from, to] = [offsetAt(offsets, at), offsetAt(offsets, at + 1)];
    const start = page.extend(LENGTH_BYTES);
    page.view.setUint32(start, to - from, true);
    page.append(content.subarray(from, to));
  }
}

function putFixed(page: Bytes, { leaf, data, levels }: FilledLeaf, values: Bytes): void {
  const { type } = leaf;
  const { width = 0 } = physicalOf(type);
  const all = leaf.repetitionMax === 0 && data.valid.ones === levels.index.length;
  if (type.kind === "integer" && type.bits < 32) return putWidened(page, values, levels, type.bits, type.signed);
  if (type.kind === "decimal") return putReversed(page, values, levels, width);
  if (all) return page.append(values.taken());
  const content = values.taken();
  for (const at of levels.index) if (at >= 0) page.append(content.subarray(at * width, (at + 1) * width));
}

/** Widens small numbers to four bytes. */
function putWidened(page: Bytes, values: Bytes, { index }: Levels, bits: number, signed: boolean): void {
  const { view } = values;
  for (const at of index) {
    if (at < 0) continue;
    const start = page.extend(4);
    const small = signed ? view.getInt8(at) : view.getUint8(at);
    const value = bits === 8 ? small : signed ? view.getInt16(2 * at, true) : view.getUint16(2 * at, true);
    page.view.setInt32(start, value, true);
  }
}

/** Writes decimals with the highest byte first. */
function putReversed(page: Bytes, values: Bytes, { index }: Levels, width: number): void {
  const content = values.taken();
  for (const at of index)
    if (at >= 0) page.append(Buffer.from(content.subarray(at * width, (at + 1) * width)).reverse());
}
