/** A generator of numbers that look random and are the same in every run. */
export interface Random {
  /** Returns a number from 0 (included) to 1 (excluded). */
  share(): number;
  /** Returns a whole number from 0 (included) to `count` (excluded). */
  below(count: number): number;
  pick<T>(list: readonly T[]): T;
  /** Returns a whole number below `count`. Small numbers are far more frequent: a few users and routes make most of the traffic. */
  skewed(count: number): number;
}

/** The generator mulberry32: 32 bits of state, quick, and good enough for text. */
export function randomOf(seed: number): Random {
  let state = mix(seed);
  const share = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count: number): number => Math.floor(share() * count);
  return {
    share,
    below,
    pick: <T>(list: readonly T[]): T => list[below(list.length)] as T,
    skewed: (count) => Math.floor(share() ** 3 * count),
  };
}

/** Returns `digits` hexadecimal digits (a multiple of 8) that depend on a number, as IDs of traces and spans. */
export function hexOf(number: number, digits: number): string {
  let text = "";
  for (let part = 0; text.length < digits; part++) {
    const word = mix(Math.imul(number, 0x9e3779b1) ^ mix(number + part * 0x85ebca6b)) >>> 0;
    text += word.toString(16).padStart(8, "0");
  }
  return text;
}

function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x7feb352d);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b);
  return mixed ^ (mixed >>> 16);
}
