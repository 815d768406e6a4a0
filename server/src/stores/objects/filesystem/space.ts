import { statfs } from "node:fs/promises";
import { storageProblem } from "../errors.ts";

/** The free space is read again after this many bytes. */
const CHECK_BYTES = 16 * 1024 * 1024;

/** Refuses writes while the disk has less free space than a minimum, so that records and telemetry can go on. */
export class SpaceGuard {
  readonly #path: string;
  readonly #freeBytesMin: number;
  /** Bytes that may be written before the file system must be asked again. */
  #allowance = 0;

  constructor(path: string, freeBytesMin: number) {
    this.#path = path;
    this.#freeBytesMin = freeBytesMin;
  }

  /** Before a write of `bytes`, or of an unknown number when 0. @throws Problem `disk_full` */
  async reserve(bytes: number): Promise<void> {
    if (bytes > 0 && bytes <= this.#allowance) return;
    await this.#ask(bytes);
  }

  /**
   * Called after `bytes` were written, of any blob.
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
