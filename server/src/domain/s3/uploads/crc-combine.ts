import type { ChecksumAlgorithm } from "../types/index.ts";

/**
 * Combines the cyclic checksums of parts without their bytes. The checksum of A followed by B is that of A times
 * x^(8·length of B), plus that of B, computed with polynomials over GF(2) modulo the algorithm's polynomial. Bits are
 * reflected: the highest bit is x^0.
 */
interface Field {
  readonly bits: bigint;
  readonly polynomial: bigint;
}

const FIELDS: Readonly<Partial<Record<ChecksumAlgorithm, Field>>> = {
  CRC32: { bits: 32n, polynomial: 0xedb88320n },
  CRC32C: { bits: 32n, polynomial: 0x82f63b78n },
  CRC64NVME: { bits: 64n, polynomial: 0x9a6c9329ac4bc9b5n },
};

export interface CheckedPart {
  /** Base64, the highest byte first. */
  readonly checksum: string;
  readonly size: number;
}

/** Returns the checksum of all parts together in base64; undefined for algorithms that can't be combined. */
export function combineChecksums(algorithm: ChecksumAlgorithm, parts: readonly CheckedPart[]): string | undefined {
  const field = FIELDS[algorithm];
  if (field === undefined) return undefined;
  const shifts = new Shifts(field);
  const width = Number(field.bits) / 8;
  let whole: Words = [0, 0];
  for (const { checksum, size } of parts) {
    const [high, low] = shifts.shifted(whole, size);
    const own = Buffer.from(checksum, "base64");
    whole = [high ^ own.readInt32BE(0), width > 4 ? low ^ own.readInt32BE(4) : 0];
  }
  const bytes = Buffer.alloc(8);
  bytes.writeInt32BE(whole[0], 0);
  bytes.writeInt32BE(whole[1], 4);
  return bytes.subarray(0, width).toString("base64");
}

/** A checksum, its highest 32 bits first. For 32-bit checksums the second word is 0. */
type Words = readonly [number, number];

/**
 * Multiplies by x^(8·size). For each bit of the size it needs one table for each byte of the checksum, which it creates
 * on first use. Ten thousand parts of different sizes take 10 ms. Multiplying polynomials for each part took six
 * seconds.
 */
class Shifts {
  readonly #field: Field;
  /** x^(8·2^n) */
  readonly #powers: bigint[];
  readonly #tables: (Int32Array | undefined)[] = [];

  constructor(field: Field) {
    this.#field = field;
    this.#powers = [1n << (field.bits - 9n)];
  }

  shifted(value: Words, size: number): Words {
    let shifted = value;
    for (let [n, rest] = [0, size]; rest > 0; n += 1, rest = Math.floor(rest / 2)) {
      if (rest % 2 === 1) shifted = product(this.#table(n), shifted);
    }
    return shifted;
  }

  #table(n: number): Int32Array {
    return (this.#tables[n] ??= tableOf(this.#field, this.#power(n)));
  }

  #power(n: number): bigint {
    const known = this.#powers[n];
    if (known !== undefined) return known;
    const half = this.#power(n - 1);
    return (this.#powers[n] = multiply(this.#field, half, half));
  }
}

const BYTES = 8;

/**
 * Returns the products of the factor with each value of each byte. The two words of a product are at 2·(256·byte +
 * value).
 */
function tableOf({ bits, polynomial }: Field, factor: bigint): Int32Array {
  const table = new Int32Array(2 * 256 * BYTES);
  let column = factor; // The highest bit of the first byte is x^0.
  for (let byte = 0; byte < Number(bits) / 8; byte += 1) {
    for (let bit = 128; bit > 0; bit >>= 1) {
      const [high, low] = bits === 64n ? [column >> 32n, column & 0xffffffffn] : [column, 0n];
      addColumn(table, 256 * byte, bit, [Number(high) | 0, Number(low) | 0]);
      column = (column & 1n) === 1n ? (column >> 1n) ^ polynomial : column >> 1n;
    }
  }
  return table;
}

/** Adds the product of one bit to each value that has this bit. */
function addColumn(table: Int32Array, first: number, bit: number, [high, low]: Words): void {
  for (let value = bit; value < 256; value = (value + 1) | bit) {
    const at = 2 * (first + value);
    table[at] = (table[at] ?? 0) ^ high;
    table[at + 1] = (table[at + 1] ?? 0) ^ low;
  }
}

function product(table: Int32Array, [first, second]: Words): Words {
  let [high, low] = [0, 0];
  for (let byte = 0; byte < BYTES; byte += 1) {
    const value = ((byte < 4 ? first : second) >>> (24 - 8 * (byte % 4))) & 255;
    const at = 2 * (256 * byte + value);
    high ^= table[at] ?? 0;
    low ^= table[at + 1] ?? 0;
  }
  return [high, low];
}

function multiply({ bits, polynomial }: Field, a: bigint, b: bigint): bigint {
  let sum = 0n;
  let shifted = b;
  for (let bit = 1n << (bits - 1n); bit > 0n; bit >>= 1n) {
    if ((a & bit) !== 0n) sum ^= shifted;
    shifted = (shifted & 1n) === 1n ? (shifted >> 1n) ^ polynomial : shifted >> 1n;
  }
  return sum;
}
