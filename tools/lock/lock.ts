import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The parts of package-lock.json (version 3) that the tools read. */
export interface Lock {
  readonly packages: Readonly<Record<string, LockEntry>>;
}

export interface LockEntry {
  readonly version?: string;
  readonly integrity?: string;
  /** An SPDX expression. */
  readonly license?: string;
  /** Whether it is a workspace's package, linked into node_modules. */
  readonly link?: boolean;
  /** Whether only development needs it. */
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly devOptional?: boolean;
  /** Whether the package was inside the tarball of the package above it, whose integrity covers it. */
  readonly inBundle?: boolean;
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Reads package-lock.json of this repository. */
export function readLock(root: string): Lock {
  return JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as Lock;
}

/** Whether it is an installed package of a third party, and not a folder of this repository. */
export function isThirdParty(path: string, entry: LockEntry): boolean {
  return path.includes("node_modules/") && entry.link !== true;
}

/** The name of the package at a path of the lock file: `a/node_modules/@b/c` is `@b/c`. */
export function packageNameOf(path: string): string {
  return path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
}

/**
 * Returns the path of the package that `name` means to the package at `path`; undefined when it is absent. Searches as
 * Node does: in the package's own node_modules, then in those of the folders above.
 */
export function resolvePackage(lock: Lock, path: string, name: string): string | undefined {
  for (let place = path; ; place = place.replace(/\/?(node_modules\/(@[^/]+\/)?)?[^/]*$/, "")) {
    const found = `${place === "" ? "" : `${place}/`}node_modules/${name}`;
    if (found in lock.packages) return found;
    if (place === "") return undefined;
  }
}
