import { readFile } from "node:fs/promises";
import { CHILD_RESIDENT_BYTES } from "./settings.ts";

const EVERY_MS = 25;
const PAGE_BYTES = 4096; // statm counts pages. If the pages are larger, the limit is reached earlier, never later.

/** Watches the resident memory of a process, because DuckDB's own limit does not count all of its memory. */
export class MemoryWatchdog {
  readonly #timer: NodeJS.Timeout;
  /** The most memory that was observed. */
  peakBytes = 0;
  #reading = false;

  constructor(pid: number, memoryBytesMax: number, onPassed: () => void) {
    const limit = CHILD_RESIDENT_BYTES + 1.5 * memoryBytesMax;
    this.#timer = setInterval(() => {
      void this.#look(pid).then((bytes) => {
        this.peakBytes = Math.max(this.peakBytes, bytes);
        if (bytes > limit) onPassed();
      });
    }, EVERY_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #look(pid: number): Promise<number> {
    if (this.#reading) return 0;
    this.#reading = true;
    try {
      const statm = await readFile(`/proc/${pid}/statm`, "utf8");
      return Number(statm.split(" ")[1] ?? 0) * PAGE_BYTES;
    } catch {
      return 0; // ended meanwhile, or no /proc
    } finally {
      this.#reading = false;
    }
  }
}
