/** The position of a tail: the next entry. */
export interface Position {
  /** Names the log that the numbers belong to, see `TelemetryFeed.id`. */
  readonly feedId: string;
  readonly seq: number;
  /** Place of the entry in its batch. */
  readonly index: number;
  /** When the batch before it was taken, in milliseconds since the epoch. */
  readonly atMs: number;
}

const RADIX = 36;
const FORM = /^([0-9a-z]{1,8})-([0-9a-z]{1,10})-([0-9a-z]{1,4})-([0-9a-z]{1,9})$/;

/** The position as an event's `id`. Nobody but us reads it. */
export function idOf({ feedId, seq, index, atMs }: Position): string {
  return `${feedId}-${seq.toString(RADIX)}-${index.toString(RADIX)}-${atMs.toString(RADIX)}`;
}

/** The position in one of our `id`s; undefined for any other text. */
export function positionOf(id: string): Position | undefined {
  const [, feedId = "", ...numbers] = FORM.exec(id) ?? [];
  const [seq = 0, index = 0, atMs = 0] = numbers.map((digits) => Number.parseInt(digits, RADIX));
  return numbers.length === 0 ? undefined : { feedId, seq, index, atMs };
}
