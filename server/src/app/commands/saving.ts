import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { CommandError } from "./command.ts";

/**
 * Runs an action that creates a secret, and saves it in a file that only the current user can read. Reserves the file
 * first: a secret that can't be saved is lost, and a rotation could lock its owner out.
 * @throws CommandError when the file can't be created, or exists and may not be replaced
 */
export async function savedIn<M>(
  file: string,
  replaces: boolean,
  { make, contentOf }: { readonly make: () => Promise<M>; readonly contentOf: (made: M) => string },
): Promise<M> {
  const temporary = reserve(file, replaces);
  try {
    const made = await make();
    writeFileSync(temporary, contentOf(made), { flush: true });
    renameSync(temporary, file);
    return made;
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Creates an empty file beside `file`. */
function reserve(file: string, replaces: boolean): string {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    if (!replaces && existsSync(file)) throw new Error("it exists already; name a new file");
    writeFileSync(temporary, "", { mode: 0o600, flag: "wx" });
    return temporary;
  } catch (error) {
    throw new CommandError(`cannot save a credential in ${file}: ${(error as Error).message}; nothing was created`);
  }
}
