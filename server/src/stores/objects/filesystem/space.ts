import { statfs } from "node:fs/promises";
import { storageProblem } from "../errors.ts";

/** The free space is read again after this many written bytes. */
const CHECK_BYTES = 16 * 1024 * 1024;

/** Refuses writes while the disk has less than a minimum of free space, to leave room for records and telemetry. */
export class SpaceGuard {
  readonly #path: string;
  readonly #freeBytesMin: number;
  /** Bytes that may be written before the free space is read again. */
  #allowance = 0;

  constructor(path: string, freeBytesMin: number) {
    this.#path = path;
    this.#freeBytesMin = freeBytesMin;
  }

  /** Call it before a write of `bytes`. 0: the number is unknown. @throws Problem `disk_full` */
  async reserve(bytes: number): Promise<void> {
    if (bytes > 0 && bytes <= this.#allowance) return;
    await this.#ask(bytes);
  }

  /**
   * Call it after a write of `bytes` to any blob.
   * @throws Problem `disk_full`
   */
  async used(bytes: number): Promise<void> {
    this.#allowance -= bytes;
    if (this.#allowance < 0) await this.#ask(bytes);
  }

  async #ask(bytes: number): Promise<void> {
    const { bavail, bsize } = await statfs(this.#path).catch((error: unknown) => {
      throw storageProblem(error);
    });
    const free = bavail * bsize - this.#freeBytesMin;
    this.#allowance = Math.min(CHECK_BYTES, Math.max(0, free - bytes));
    if (free >= bytes) return;
    const error = new Error(`less than ${this.#freeBytesMin} bytes would be free`);
    throw storageProblem(Object.assign(error, { code: "ENOSPC" }));
  }
}
