import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The files that a build depends on, relative to the root. */
const SOURCES = ["portal", "client/src", "contract/src", "package-lock.json"];
const STAMP = "mooring-build.txt";

/** Whether the last build used the same sources. Writes nothing. */
export function isPortalBuilt(root: string): boolean {
  return stampIsOf(root, digestOf(root));
}

/**
 * Returns the milliseconds of the build; null when the last build used the same sources.
 * @throws Error when it fails
 */
export function buildPortal(root: string): number | null {
  const stamp = digestOf(root);
  if (stampIsOf(root, stamp)) return null;
  const startedMs = performance.now();
  build(root, join(root, "portal/dist"), stamp);
  return performance.now() - startedMs;
}

function stampIsOf(root: string, stamp: string): boolean {
  const path = join(root, "portal/dist", STAMP);
  return existsSync(path) && readFileSync(path, "utf8") === stamp;
}

/** Builds into a temporary directory and renames it at the end, so that a running server never sees half a build. */
function build(root: string, dist: string, stamp: string): void {
  const fresh = `${dist}.new`;
  rmSync(fresh, { recursive: true, force: true });
  const vite = join(root, "node_modules/vite/bin/vite.js");
  const args = [vite, "build", "--outDir", fresh, "--logLevel", "warn"];
  const { status, stderr, stdout } = spawnSync(process.execPath, args, { cwd: join(root, "portal"), encoding: "utf8" });
  if (status !== 0) throw new Error(`cannot build the portal:\n${stdout}${stderr}`);
  writeFileSync(join(fresh, STAMP), stamp);
  rmSync(dist, { recursive: true, force: true });
  renameSync(fresh, dist);
}

/** Returns a digest of the name and content of every source. */
function digestOf(root: string): string {
  const hash = createHash("sha256");
  for (const source of SOURCES) {
    for (const path of filesBelow(root, source))
      hash
        .update(path)
        .update("\0")
        .update(readFileSync(join(root, path)));
  }
  return hash.digest("hex");
}

function filesBelow(root: string, source: string): string[] {
  if (!existsSync(join(root, source))) throw new Error(`cannot build the portal: ${source} is missing`);
  const entries = source.includes(".")
    ? [source]
    : readdirSync(join(root, source), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
  return entries
    .filter((path) => !/\/(dist|dist\.new|node_modules)\//.test(path) && !path.endsWith(".test.ts"))
    .toSorted();
}
