import { dirname } from "node:path";
import { syncDirectory } from "#stores/directory/index.ts";
import type { Manifest } from "../manifest.ts";
import type { ParquetFile } from "../parquet-file.ts";
import type { TelemetryLog } from "../settings.ts";

/**
 * Deletes files that the manifest has dropped, once no query reads them, and then removes them from the manifest. In that order, and
 * with the deletion on disk before: a file that the manifest does not know would be taken for one of another database.
 */
export class Deletions {
  readonly #manifest: Manifest;
  readonly #log: TelemetryLog;
  #gone: ParquetFile[] = [];
  #forgetting: Promise<void> | undefined;
  #closed = false;

  constructor(manifest: Manifest, log: TelemetryLog) {
    this.#manifest = manifest;
    this.#log = log;
  }

  drop(file: ParquetFile): void {
    file.held.drop(() => {
      this.#gone.push(file);
      if (!this.#closed) this.#forgetting ??= this.#forget();
    });
  }

  /** What is not done by then is done by the next start. */
  async close(): Promise<void> {
    this.#closed = true;
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
      this.#log.warn({ err: error }, "cannot remove deleted telemetry files from the manifest; the next start does");
    } finally {
      this.#forgetting = undefined;
    }
  }
}
