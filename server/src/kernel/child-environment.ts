import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";

/**
 * Environment of a child process that runs our code: empty, except the directory of compiled code when Node was given
 * one (`NODE_COMPILE_CACHE`). That halves the child's start.
 */
export function childEnvironment(): Readonly<Record<string, string>> {
  const directory = getCompileCacheDir(); // one for each version of Node, in the directory that was given
  return directory === undefined ? {} : { NODE_COMPILE_CACHE: dirname(directory) };
}
