import type { ChecksumAlgorithm } from "../types/index.ts";

/**
 * Cyclic checksums of parts put together, without their bytes. The checksum of A followed by B is that of A times x^(8·length of B), plus that
 * of B, in the polynomials over GF(2) modulo the algorithm's own. Bits are reflected: the highest one stands for x^0.
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

/** Checksum of the whole in base64; undefined for algorithms that can't. */
export function combineChecksums(algorithm: ChecksumAlgorithm, parts: readonly CheckedPart[]): string | undefined {
  const field = FIELDS[algorithm];
  if (field === undefined) return undefined;
  const shifts = new Map<number, bigint>();
  let whole = 0n;
  for (const { checksum, size } of parts) {
    let shift = shifts.get(size);
    if (shift === undefined) shifts.set(size, (shift = power(field, BigInt(size) * 8n)));
    whole = multiply(field, shift, whole) ^ valueOf(checksum);
  }
  const digits = Number(field.bits) / 4;
  return Buffer.from(whole.toString(16).padStart(digits, "0"), "hex").toString("base64");
}

function valueOf(checksum: string): bigint {
  return BigInt(`0x${Buffer.from(checksum, "base64").toString("hex")}`);
}

/** x^n, by squares. */
function power(field: Field, n: bigint): bigint {
  const one = 1n << (field.bits - 1n);
  let square = one >> 1n;
  let result = one;
  for (let rest = n; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = multiply(field, square, result);
    square = multiply(field, square, square);
  }
  return result;
}

function multiply({ bits, polynomial }: Field, a: bigint, b: bigint): bigint {
  let product = 0n;
  let shifted = b;
  for (let bit = 1n << (bits - 1n); bit > 0n; bit >>= 1n) {
    if ((a & bit) !== 0n) product ^= shifted;
    shifted = (shifted & 1n) === 1n ? (shifted >> 1n) ^ polynomial : shifted >> 1n;
  }
  return product;
}
