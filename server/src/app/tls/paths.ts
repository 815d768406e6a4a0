import { lstatSync, readlinkSync } from "node:fs";
import { isAbsolute, join, resolve, sep } from "node:path";

/** As many as Linux follows. */
const LINKS_MAX = 40;

/**
 * The directories whose entries decide where a path leads: those of the file and of each symbolic link on the way. A change of the file, a
 * rename over it or another target of a link is a change in one of them.
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

/** The target of a symbolic link; undefined for anything else. */
function targetOf(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch {
    return "absent";
  }
}
