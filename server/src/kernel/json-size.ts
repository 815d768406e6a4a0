const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OBJECT, OBJECT_END, LIST, LIST_END] = [0x7b, 0x7d, 0x5b, 0x5d];

export interface JsonLimits {
  readonly depthMax: number;
  readonly valuesMax: number;
}

/**
 * Whether JSON is nested deeper, or has more values, than allowed. Call it before parsing, because a few bytes may take
 * much memory and time. It counts separators, so it needs no memory. Counts of text that is not JSON may be wrong, but
 * the parser then refuses the text.
 */
export function exceeds(bytes: Uint8Array, { depthMax, valuesMax }: JsonLimits): "depth" | "values" | undefined {
  let [depth, values] = [0, 1];
  for (let i = 0; i < bytes.length; i++) {
    switch (bytes[i] ?? 0) {
      case QUOTE:
        i = endOfString(bytes, i + 1);
        break;
      case OBJECT:
      case LIST:
        depth += 1;
        values += 1;
        if (depth > depthMax) return "depth";
        break;
      case OBJECT_END:
      case LIST_END:
        depth -= 1;
        break;
      case COMMA:
        values += 1;
        if (values > valuesMax) return "values";
        break;
      default:
    }
  }
  return values > valuesMax ? "values" : undefined;
}

/** Returns the index of the quote that ends the string, or an index behind the end. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let at = bytes.indexOf(QUOTE, start); at >= 0; at = bytes.indexOf(QUOTE, at + 1)) {
    let slashes = 0;
    while (bytes[at - 1 - slashes] === BACKSLASH && at - 1 - slashes >= start) slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return bytes.length;
}
