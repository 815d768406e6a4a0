import { createRequire } from "node:module";
import { packageFile } from "#kernel/programs.ts";

/** The platforms that the query engine has a build for. `platformFault` decides where the server itself can run. */
const BUILDS = ["darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64"];

export interface Platform {
  readonly platform: string;
  readonly arch: string;
  /** Whether the query engine's build for this platform is installed. */
  hasEngine(): boolean;
}

/**
 * Returns the reason why the server can't run here, as one sentence; null if it can. docs/reference/platforms.md lists the
 * platforms.
 */
export function platformFault(here: Platform = thisPlatform()): string | null {
  const name = `${here.platform}-${here.arch}`;
  if (here.platform === "win32")
    return "cannot run on Windows: data that the server has accepted could be lost there at a power failure; use WSL 2, or the container image";
  if (!BUILDS.includes(name))
    return `cannot run on ${name}: its query engine (DuckDB) has no build for it; use one of ${BUILDS.join(", ")}`;
  if (here.hasEngine()) return null;
  return `cannot run: the build of its query engine (DuckDB) for ${name} is not installed; install again without omitting optional packages, and on this machine`;
}

function thisPlatform(): Platform {
  return { platform: process.platform, arch: process.arch, hasEngine };
}

/** Does not load the engine. A build for another C library fails only when the engine starts. */
function hasEngine(): boolean {
  try {
    const bindings = createRequire(packageFile("@duckdb/node-api")).resolve("@duckdb/node-bindings");
    const { resolve } = createRequire(bindings);
    const builds = ["", "-musl"].map(
      (libc) => `@duckdb/node-bindings-${process.platform}-${process.arch}${libc}/package.json`,
    );
    return builds.some((build) => isThere(resolve, build));
  } catch {
    return false;
  }
}

function isThere(resolve: NodeJS.RequireResolve, name: string): boolean {
  try {
    resolve(name);
    return true;
  } catch {
    return false;
  }
}
