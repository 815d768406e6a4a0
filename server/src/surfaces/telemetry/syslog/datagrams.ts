import { newCounts, type SyslogCounts } from "./counts.ts";
import type { Intake, Received } from "./intake.ts";

/** The most bytes of datagrams that wait. Further ones are dropped. */
const WAITING_BYTES_MAX = 16 * 1024 * 1024;
/** Each waiting datagram is counted with this size in addition, for the objects that hold it. */
const OVERHEAD_BYTES = 256;
/** The most bytes of a batch: it is parsed at once. */
const BATCH_BYTES_MAX = 256 * 1024;

/** Stores datagrams: while one batch is written, the next one gathers. */
export class Datagrams {
  readonly counts: SyslogCounts = newCounts();
  readonly #intake: Intake;
  readonly #log: { error(fields: object, message: string): void };
  #waiting: Received[] = [];
  #bytes = 0;
  #writing: Promise<void> | undefined;

  constructor(intake: Intake, log: { error(fields: object, message: string): void }) {
    this.#intake = intake;
    this.#log = log;
  }

  accept(bytes: Buffer, peer: string): void {
    const size = bytes.length + OVERHEAD_BYTES;
    if (this.#bytes + size > WAITING_BYTES_MAX) {
      this.counts.dropped += 1;
      return;
    }
    this.#bytes += size;
    this.#waiting.push({ frame: { bytes, cut: false }, peer });
    this.#writing ??= this.#write();
  }

  /** Resolves when the waiting datagrams are stored. */
  async stop(): Promise<void> {
    await this.#writing;
  }

  #next(): Received[] {
    let [count, bytes] = [0, 0];
    for (; count < this.#waiting.length && bytes < BATCH_BYTES_MAX; count++)
      bytes += (this.#waiting[count]?.frame.bytes.length ?? 0) + OVERHEAD_BYTES;
    this.#bytes -= bytes;
    return this.#waiting.splice(0, count);
  }

  async #write(): Promise<void> {
    // In a later turn, so that datagrams that have arrived together are one batch.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      const batch = this.#next();
      try {
        await this.#intake.store(batch, this.counts);
      } catch (error) {
        this.counts.dropped += batch.length;
        this.#log.error({ err: error }, "cannot store datagrams of syslog");
      }
    }
    this.#writing = undefined;
  }
}
