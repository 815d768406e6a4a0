import { accessSync, constants, mkdirSync } from "node:fs";
import { refuseHalfRestored } from "./backup/index.ts";

/** Creates the data directory, or throws with what to do. */
export function makeDataDirectory(path: string): void {
  refuseHalfRestored(path);
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    accessSync(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const cause =
      code === "EEXIST" || code === "ENOTDIR"
        ? "a file has this name; name a directory"
        : code === "EACCES" || code === "EPERM" || code === "EROFS"
          ? "it is not writable; give this user write permission, or name another directory"
          : message;
    throw new Error(`cannot use the data directory ${path}: ${cause}`, { cause: error });
  }
}
