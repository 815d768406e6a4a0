import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import type { TreeEntry } from "./layout.ts";

/**
 * The files and links below a directory, by their paths in the image. Modes lose write access for others, and the bits
 * that change the user: nothing in the image may become root.
 */
export function treeOf(directory: string, at = ""): TreeEntry[] {
  return readdirSync(join(directory, at), { withFileTypes: true }).flatMap((entry): TreeEntry[] => {
    const path = at === "" ? entry.name : `${at}/${entry.name}`;
    const file = join(directory, path);
    if (entry.isDirectory()) return treeOf(directory, path);
    if (entry.isSymbolicLink()) return [{ path, kind: "link", mode: 0o777, target: readlinkSync(file) }];
    const mode = (lstatSync(file).mode & 0o111) === 0 ? 0o644 : 0o755;
    return [{ path, kind: "file", mode, content: readFileSync(file) }];
  });
}

export function textFile(path: string, text: string): TreeEntry {
  return { path, kind: "file", mode: 0o644, content: Buffer.from(text) };
}

export function link(path: string, target: string): TreeEntry {
  return { path, kind: "link", mode: 0o777, target };
}

export function below(entries: readonly TreeEntry[], directory: string): TreeEntry[] {
  return entries.map((entry) => ({ ...entry, path: `${directory}/${entry.path}` }));
}
