// Runs on any Node >= 18. Check that a newer function exists before using it.
import { lstatSync, mkdirSync, realpathSync } from "node:fs";
import module from "node:module";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";

/**
 * Keeps compiled code between runs. Only this user may write to the directory, since its files are executed. Does
 * nothing without such a directory, or if `NODE_COMPILE_CACHE` names one.
 */
export function enableCompileCache(args, environment = process.env) {
  if (module.enableCompileCache === undefined || environment.NODE_COMPILE_CACHE !== undefined) return;
  const directory = cacheDirectory(args, environment);
  if (directory !== undefined) module.enableCompileCache(directory);
}

/** Returns the user's cache directory; for a service without a home, a directory in its data directory. */
export function cacheDirectory(args, environment = process.env) {
  const { XDG_CACHE_HOME: caches, MOORING_DATA_DIR } = environment;
  const user = caches !== undefined && isAbsolute(caches) ? caches : join(environment.HOME || homedir(), ".cache");
  const found = privateDirectory(join(user, "mooring"));
  if (found !== undefined || args[0] !== "serve") return found;
  const data = dataDirectory(args) ?? MOORING_DATA_DIR;
  return data === undefined ? undefined : privateDirectory(join(resolve(data), "cache"), { inside: resolve(data) });
}

function dataDirectory(args) {
  const at = args.lastIndexOf("--data-dir");
  const inOne = args.findLast?.((arg) => arg.startsWith("--data-dir="));
  return at >= 0 ? args[at + 1] : inOne?.slice("--data-dir=".length);
}

/**
 * Creates the directory if necessary and returns it. Returns undefined if that fails or other users can write there.
 */
function privateDirectory(path, { inside } = {}) {
  try {
    if (inside !== undefined) realpathSync(inside); // only the server creates a data directory
    // One by one: with `recursive`, Node 24 never returns for a path below /proc.
    for (const each of inside === undefined ? [dirname(path), path] : [path]) makeDirectory(each);
    const real = realpathSync(path);
    return process.getuid === undefined || isPrivate(real) ? real : undefined;
  } catch {
    return undefined;
  }
}

function makeDirectory(path) {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
  }
}

/** Whether no user except this one and root can change or replace the directory or one above it. */
function isPrivate(path) {
  const user = process.getuid();
  for (let each = path; ; each = dirname(each)) {
    const { uid, mode } = lstatSync(each);
    const isSticky = (mode & 0o1000) !== 0 && each !== path;
    if ((uid !== user && uid !== 0) || (each === path && uid !== user)) return false;
    if ((mode & 0o022) !== 0 && !isSticky) return false;
    if (each === dirname(each)) return true;
  }
}
