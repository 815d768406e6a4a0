/** CRC-32 (ISO-HDLC, as zlib has it) of two texts from those of each: what a thread has summed up need not be read again. */

const POLYNOMIAL = 0xedb88320;
const BITS = 32;
const BYTE_BITS = 8;

/** @param bytes how many the second text has */
export function crc32Joined(first: number, second: number, bytes: number): number {
  return (multiplied(powerOfX(bytes * BYTE_BITS), first) ^ second) >>> 0;
}

/** x to the power of `bits`, modulo the polynomial. The highest bit of a number is the coefficient of x to the power of 0. */
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
