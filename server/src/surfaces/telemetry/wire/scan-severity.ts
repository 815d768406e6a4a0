import { LEVEL_SPELLINGS, severityOf } from "#kernel/severity.ts";

/** A number can hold this many bytes of text exactly. */
const BYTES_MAX = 6;

/** The common spellings, by their bytes read as one number. Finding one creates no string. */
const KNOWN = table();

/** Returns the severity number of the level from `from` to before `to`, 0 for none, as `severityOf` does. */
export function severityAt(bytes: Buffer, from: number, to: number): number {
  if (to - from <= BYTES_MAX) {
    let key = 0;
    for (let at = from; at < to; at++) key = key * 256 + (bytes[at] as number);
    const severity = KNOWN.get(key);
    if (severity !== undefined) return severity;
  }
  return severityOf(bytes.toString("utf8", from, to)) ?? 0;
}

function table(): ReadonlyMap<number, number> {
  const known = new Map<number, number>();
  for (const [word, number] of LEVEL_SPELLINGS) {
    if (word.length > BYTES_MAX) continue;
    for (const spelling of [word, word.toUpperCase(), word.charAt(0).toUpperCase() + word.slice(1)]) {
      const key = [...Buffer.from(spelling)].reduce((value, byte) => value * 256 + byte, 0);
      known.set(key, number);
    }
  }
  return known;
}
