import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { packageFile, resourcePath } from "#kernel/programs.ts";
import type { InstanceFacts } from "#surfaces/portal/index.ts";

interface Manifest {
  readonly version: string;
  /** The commit that the package was built from. npm defines this field. */
  readonly gitHead?: string;
}

/** The product's package.json. */
export function productManifest(): Manifest {
  return readManifest(resourcePath("manifest"));
}

/** Returns the versions of the running product, as far as this process knows them. */
export function buildFacts(): InstanceFacts["build"] {
  const { node, sqlite = "unknown" } = process.versions;
  const commit = productManifest().gitHead ?? commitOf(resourcePath("root"));
  return { commit, node, sqlite, duckdb: packageVersion("@duckdb/node-api") };
}

/** Returns the commit of a repository, from git's own files; null without a repository. */
export function commitOf(root: string): string | null {
  try {
    const directory = gitDirectory(root);
    const head = readFileSync(join(directory, "HEAD"), "utf8").trim();
    const ref = /^ref: (refs\/[^\s]+)$/.exec(head)?.[1];
    return hashIn(ref === undefined ? head : refIn(directory, ref));
  } catch {
    return null;
  }
}

/** In a linked work tree, `.git` is a file with the path. */
function gitDirectory(root: string): string {
  const path = join(root, ".git");
  try {
    const [, elsewhere = ""] = /^gitdir: (.+)$/m.exec(readFileSync(path, "utf8")) ?? [];
    return resolve(root, elsewhere);
  } catch {
    return path;
  }
}

function refIn(directory: string, ref: string): string {
  const common = readIfPresent(join(directory, "commondir"));
  const shared = common === null ? directory : resolve(directory, common.trim());
  const loose = readIfPresent(join(shared, ref));
  if (loose !== null) return loose.trim();
  const packed = readIfPresent(join(shared, "packed-refs")) ?? "";
  return (
    packed
      .split("\n")
      .find((line) => line.endsWith(` ${ref}`))
      ?.slice(0, 40) ?? ""
  );
}

function readIfPresent(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

function hashIn(text: string): string | null {
  return /^[0-9a-f]{40,64}$/.test(text) ? text : null;
}

function packageVersion(name: string): string {
  try {
    return readManifest(join(dirname(packageFile(name)), "..", "package.json")).version;
  } catch {
    return "unknown";
  }
}

function readManifest(path: string): Manifest {
  return JSON.parse(readFileSync(path, "utf8")) as Manifest;
}
