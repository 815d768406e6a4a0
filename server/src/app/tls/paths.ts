import { lstatSync, readlinkSync } from "node:fs";
import { isAbsolute, join, resolve, sep } from "node:path";

/** Linux follows the same number of links. */
const LINKS_MAX = 40;

/**
 * Returns the directories that must be watched to notice every change of a file: the directory of the file and of each
 * symbolic link on the path.
 */
export function directoriesOf(path: string): ReadonlySet<string> {
  const directories = new Set<string>();
  let left = partsOf(resolve(path));
  let current: string = sep;
  for (let links = 0; left.length > 0;) {
    const [name = "", ...rest] = left;
    const entry = join(current, name);
    const target = targetOf(entry);
    if (target === "absent" || rest.length === 0) directories.add(current);
    if (target === "absent") break;
    if (target !== undefined) {
      directories.add(current);
      if (++links > LINKS_MAX) break;
      left = [...partsOf(target), ...rest];
      if (isAbsolute(target)) current = sep;
    } else {
      left = rest;
      current = entry;
    }
  }
  return directories;
}

function partsOf(path: string): string[] {
  return path.split(sep).filter((part) => part !== "" && part !== ".");
}

/** Returns the target of a symbolic link, "absent" when nothing exists there, and undefined for anything else. */
function targetOf(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch {
    return "absent";
  }
}
