import { TELEMETRY_TYPES, type TelemetryType } from "#stores/telemetry/index.ts";

/** Rows of one type, to be kept together. */
export interface QueuedBatch {
  readonly type: TelemetryType;
  /** NDJSON. */
  readonly text: string;
  readonly count: number;
  /** Takes the rows out of the queue; without it they are in the next batch again. */
  readonly kept: () => void;
}

const BATCH_ROWS_MAX = 1000;

/** Rows that wait to be written, in order, up to a number of characters; further ones are dropped and counted. */
export class RowQueue {
  readonly #charsMax: number;
  readonly #rows: Record<TelemetryType, string[]> = { logs: [], metrics: [], traces: [] };
  #chars = 0;
  dropped = 0;

  constructor(charsMax: number) {
    this.#charsMax = charsMax;
  }

  add(type: TelemetryType, row: string): void {
    if (this.#chars + row.length > this.#charsMax) {
      this.dropped += 1;
      return;
    }
    this.#rows[type].push(row);
    this.#chars += row.length;
  }

  /** The oldest rows of a type that has some, or undefined when nothing waits. */
  next(): QueuedBatch | undefined {
    const type = TELEMETRY_TYPES.find((each) => this.#rows[each].length > 0);
    if (type === undefined) return undefined;
    const rows = this.#rows[type].slice(0, BATCH_ROWS_MAX);
    const text = rows.join("");
    const kept = (): void => {
      this.#rows[type].splice(0, rows.length);
      this.#chars -= text.length;
    };
    return { type, text, count: rows.length, kept };
  }
}
