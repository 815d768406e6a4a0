/** Writes protobuf's binary encoding, for bodies of tests (protobuf.dev, "Encoding"). */

export function varint(value: number | bigint): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  return Buffer.from([...bytes, Number(rest)]);
}

export function bytesField(number: number, content: Buffer | string): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
}

export function varintField(number: number, value: number | bigint): Buffer {
  return Buffer.concat([varint(number * 8), varint(value)]);
}

export function doubleField(number: number, value: number | bigint): Buffer {
  const bytes = Buffer.alloc(8);
  if (typeof value === "bigint") bytes.writeBigUInt64LE(value);
  else bytes.writeDoubleLE(value);
  return Buffer.concat([varint(number * 8 + 1), bytes]);
}

export function zigzag(value: number): number {
  return value < 0 ? -value * 2 - 1 : value * 2;
}
