import { dirname } from "node:path";
import { areDeletionsHeld, syncDirectory } from "#stores/directory/index.ts";
import type { Layout } from "../layout.ts";
import type { Manifest } from "../manifest.ts";
import type { ParquetFile } from "../parquet-file.ts";
import type { TelemetryLog } from "../settings.ts";

/** How soon after a backup its held files are deleted. */
const HELD_MS = 1_000;

/**
 * Deletes files that the manifest has dropped, when no query reads them, and then removes them from the manifest. The
 * deletion must be on disk first: a file that the manifest does not list would look like a file of another database. A
 * running backup delays deletions, because its records may still name the files.
 */
export class Deletions {
  readonly #dataDir: string;
  readonly #manifest: Manifest;
  readonly #log: TelemetryLog;
  #held: ParquetFile[] = [];
  #timer: NodeJS.Timeout | undefined;
  #gone: ParquetFile[] = [];
  #forgetting: Promise<void> | undefined;
  #closed = false;

  constructor({ layout, manifest, log }: { layout: Layout; manifest: Manifest; log: TelemetryLog }) {
    this.#dataDir = layout.dataDir;
    this.#manifest = manifest;
    this.#log = log;
  }

  /** Queues a file that the manifest has dropped. */
  drop(file: ParquetFile): void {
    if (!areDeletionsHeld(this.#dataDir)) return this.#delete(file);
    this.#held.push(file);
    this.#timer ??= setTimeout(() => this.#again(), HELD_MS).unref();
  }

  #again(): void {
    this.#timer = undefined;
    const held = this.#held;
    this.#held = [];
    for (const file of held) this.drop(file);
  }

  #delete(file: ParquetFile): void {
    file.held.drop(() => {
      this.#gone.push(file);
      if (!this.#closed) this.#forgetting ??= this.#forget();
    });
  }

  /** The next start repeats deletions that are not done. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#forgetting;
  }

  async #forget(): Promise<void> {
    try {
      while (this.#gone.length > 0 && !this.#closed) {
        const gone = this.#gone;
        this.#gone = [];
        for (const dir of new Set(gone.map(({ held }) => dirname(held.path)))) await syncDirectory(dir);
        await this.#manifest.forget(gone.map(({ id }) => id));
      }
    } catch (error) {
      this.#log.warn({ err: error }, "cannot remove deleted telemetry files from the manifest; the next start retries");
    } finally {
      this.#forgetting = undefined;
    }
  }
}
