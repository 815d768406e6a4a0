/**
 * Computes the CRC-32 (ISO-HDLC, as in zlib) of two joined texts from the CRC-32 of each, so that bytes that a thread
 * has read need not be read again.
 */

const POLYNOMIAL = 0xedb88320;
const BITS = 32;
const BYTE_BITS = 8;

/**  @param bytes length of the second text */
export function crc32Joined(first: number, second: number, bytes: number): number {
  return (multiplied(powerOfX(bytes * BYTE_BITS), first) ^ second) >>> 0;
}

/**
 * Returns x to the power of `bits`, modulo the polynomial. The highest bit of a number is the coefficient of x to the
 * power of 0.
 */
function powerOfX(bits: number): number {
  let result = 1 << (BITS - 1);
  let square = 1 << (BITS - 2);
  for (let rest = bits; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = multiplied(square, result);
    square = multiplied(square, square);
  }
  return result >>> 0;
}

function multiplied(a: number, b: number): number {
  let product = 0;
  let shifted = b;
  for (let bit = BITS - 1; bit >= 0; bit -= 1) {
    if ((a >>> bit) & 1) product ^= shifted;
    shifted = shifted & 1 ? (shifted >>> 1) ^ POLYNOMIAL : shifted >>> 1;
  }
  return product >>> 0;
}
