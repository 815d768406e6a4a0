import { once } from "node:events";
import { open, rename, rm } from "node:fs/promises";
import { CommandError } from "./command.ts";
import { terminalWidth } from "./table.ts";

/** The destination of a result. */
export interface Sink {
  /** The state of an incomplete result, for the message. */
  readonly broken: string;
  /** The number of text columns of a line. */
  readonly width: number;
  /** Resolves when the sink can accept more, so that a large result does not fill the memory. */
  write(chunk: string | Uint8Array): Promise<void>;
  /** Called when the result is complete. */
  finish(): Promise<void>;
  /** Called when the result can't be completed. */
  abandon(): Promise<void>;
}

/**
 * Opens a file, which gets its name when the result is complete, or standard output without a path.
 * @throws CommandError
 */
export async function openSink(path: string | undefined): Promise<Sink> {
  return path === undefined ? standardOutput() : fileSink(path);
}

/**
 * Resolves when standard output can take more. Commands that print without end use it, since they must end when their
 * reader does. Others may write to standard output directly: the launcher ignores a closed pipe.
 * @throws Error `EPIPE` when the reader has closed the pipe
 */
export async function printInFull(chunk: string | Uint8Array): Promise<void> {
  const { stdout } = process;
  if (stdout.errored !== null) throw stdout.errored;
  if (!stdout.write(chunk)) await once(stdout, "drain");
}

function standardOutput(): Sink {
  return {
    broken: "the printed result is not complete",
    width: terminalWidth(),
    write: (chunk) => printInFull(chunk),
    finish: () => Promise.resolve(),
    abandon: () => Promise.resolve(),
  };
}

async function fileSink(path: string): Promise<Sink> {
  const partial = `${path}.part`;
  const failed = (error: unknown): never => {
    throw new CommandError(`cannot write ${path}: ${(error as Error).message}`);
  };
  const file = await open(partial, "w").catch(failed);
  return {
    broken: `${path} was not written`,
    width: Number.MAX_SAFE_INTEGER,
    write: async (chunk) => {
      await file.writeFile(chunk).catch(failed);
    },
    finish: async () => {
      await file.close().catch(failed);
      await rename(partial, path).catch(failed);
    },
    abandon: async () => {
      await file.close().catch(() => undefined);
      await rm(partial, { force: true });
    },
  };
}
