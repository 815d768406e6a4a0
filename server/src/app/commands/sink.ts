import { once } from "node:events";
import { open, rename, rm } from "node:fs/promises";
import { CommandError } from "./command.ts";
import { terminalWidth } from "./table.ts";

/** Where a result goes. */
export interface Sink {
  /** The state of an incomplete result, for the message. */
  readonly broken: string;
  /** Columns of text that a line may have. */
  readonly width: number;
  /** Resolves when more is wanted, so that a large result is not gathered here. */
  write(chunk: string | Uint8Array): Promise<void>;
  /** The result is whole. */
  finish(): Promise<void>;
  /** It is not, and never will be. */
  abandon(): Promise<void>;
}

/** A file, which has its name when the result is whole; without one, standard output. @throws CommandError */
export async function openSink(path: string | undefined): Promise<Sink> {
  return path === undefined ? standardOutput() : fileSink(path);
}

function standardOutput(): Sink {
  const { stdout } = process;
  return {
    broken: "the printed result is not complete",
    width: terminalWidth(),
    write: async (chunk) => {
      if (!stdout.write(chunk)) await once(stdout, "drain");
    },
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
