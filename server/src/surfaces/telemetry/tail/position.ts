/** The position of a tail: the next entry to send. */
export interface Position {
  /** Identifies the log that the numbers belong to, see `TelemetryFeed.id`. */
  readonly feedId: string;
  readonly seq: number;
  /** The index of the entry in its batch. */
  readonly index: number;
  /** When the previous batch was accepted, in milliseconds since the epoch. */
  readonly atMs: number;
}

const RADIX = 36;
const FORM = /^([0-9a-z]{1,8})-([0-9a-z]{1,10})-([0-9a-z]{1,4})-([0-9a-z]{1,9})$/;

/** Encodes the position as an event's `id`. Clients only send it back. */
export function idOf({ feedId, seq, index, atMs }: Position): string {
  return `${feedId}-${seq.toString(RADIX)}-${index.toString(RADIX)}-${atMs.toString(RADIX)}`;
}

/** Decodes one of our `id`s; undefined for any other text. */
export function positionOf(id: string): Position | undefined {
  const [, feedId = "", ...numbers] = FORM.exec(id) ?? [];
  const [seq = 0, index = 0, atMs = 0] = numbers.map((digits) => Number.parseInt(digits, RADIX));
  return numbers.length === 0 ? undefined : { feedId, seq, index, atMs };
}
