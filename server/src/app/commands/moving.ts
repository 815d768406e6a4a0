import { readFile } from "node:fs/promises";
import { PASSPHRASE_CHARS_MIN, type MoveProgress } from "#domain/moves/index.ts";
import { openArchive, type Archive, type BucketAccess } from "#stores/archive/index.ts";
import { environmentAccess } from "../bucket-access.ts";
import { CommandError, textOption, UsageError, type Parsed } from "./command.ts";

/** The parts that `mooring export` and `mooring import` share. */

const PROGRESS_MS = 500;

/** Opens the place of an export. A bucket is reached with the usual variables of S3 clients. */
export async function archiveAt(place: string): Promise<Archive> {
  return openArchive(place, bucketAccess).catch((error: Error) => {
    throw new UsageError(error.message);
  });
}

function bucketAccess(): BucketAccess {
  const access = environmentAccess();
  if (access === undefined)
    throw new UsageError("a bucket needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment");
  return access;
}

/** Reads the passphrase from the first line of a file. Null: none was named. */
export async function passphraseOf(parsed: Parsed): Promise<string | null> {
  const path = textOption(parsed, "passphrase-file");
  if (path === undefined) return null;
  const text = await readFile(path, "utf8").catch((error: Error) => {
    throw new CommandError(`cannot read the passphrase: ${error.message}`);
  });
  const [passphrase = ""] = text.split(/\r?\n/);
  if (passphrase.length < PASSPHRASE_CHARS_MIN)
    throw new CommandError(`the passphrase in ${path} must have at least ${PASSPHRASE_CHARS_MIN} characters`);
  return passphrase;
}

/** Draws a bar on a terminal. Elsewhere it prints nothing. */
export function progressBar(): { show: (progress: MoveProgress) => void; clear: () => void } {
  const { stderr } = process;
  if (!stderr.isTTY) return { show: () => undefined, clear: () => undefined };
  let shownMs = 0;
  const clear = (): void => void stderr.write("\r\u001b[K");
  return {
    clear,
    show: ({ done, total, bytes }) => {
      const nowMs = performance.now();
      if (nowMs - shownMs < PROGRESS_MS && done < total) return;
      shownMs = nowMs;
      const filled = Math.round((20 * done) / Math.max(1, total));
      const bar = "#".repeat(filled).padEnd(20, ".");
      stderr.write(`\r\u001b[K[${bar}] ${done} of ${total} contents and telemetry files, ${mebibytes(bytes)}`);
    },
  };
}

export function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}
