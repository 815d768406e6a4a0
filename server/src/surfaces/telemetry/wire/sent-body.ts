import type { Coding } from "./coding.ts";

/** A body as it arrived, with its coding. */
export interface SentBody {
  readonly pieces: readonly Buffer[];
  readonly coding?: Coding | undefined;
}

export function bytesOf({ pieces }: SentBody): number {
  return pieces.reduce((sum, piece) => sum + piece.length, 0);
}

/** Returns the body as one buffer, without a copy if it is one piece. */
export function joined({ pieces }: SentBody): Buffer {
  const [only] = pieces;
  return pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces);
}
