import { TELEMETRY_TYPES, type TelemetryType } from "#stores/telemetry/index.ts";

/** Rows of one type, to be written together. */
export interface QueuedBatch {
  readonly type: TelemetryType;
  /** NDJSON. */
  readonly text: string;
  readonly count: number;
  /** Removes the rows from the queue. Without this call they are in the next batch again. */
  readonly kept: () => void;
}

const BATCH_ROWS_MAX = 1000;

/** Queues rows in order until they are written. Beyond a number of characters, further rows are dropped and counted. */
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

  /** Returns the oldest rows of one type, or undefined when the queue is empty. */
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
