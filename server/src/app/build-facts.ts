import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { InstanceFacts } from "#surfaces/portal/index.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** Returns the versions of the running product, as far as this process knows them. */
export function buildFacts(): InstanceFacts["build"] {
  const { node, sqlite = "unknown" } = process.versions;
  return { commit: commitOf(ROOT), node, sqlite, duckdb: packageVersion("@duckdb/node-api") };
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
  const require = createRequire(import.meta.url);
  const manifest = join(dirname(require.resolve(name)), "..", "package.json");
  try {
    return (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version;
  } catch {
    return "unknown";
  }
}
