import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";

function git(root: string, ...args: string[]): string {
  return execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
}

export interface ReleaseState {
  readonly version: string;
  readonly out: string;
  readonly isDry: boolean;
}

/** @throws Error when the commit, the work tree or the directory is not one to release from */
export function assertReleasable(root: string, { version, out, isDry }: ReleaseState): void {
  const changed = git(root, "status", "--porcelain")
    .split("\n")
    .filter((line) => line !== "");
  if (changed.length > 0)
    throw new Error(
      `cannot release ${version}: the work tree has changes that are not committed (${changed.slice(0, 3).join(", ")}); commit or remove them`,
    );
  if (existsSync(out) && readdirSync(out).length > 0)
    throw new Error(`cannot release into ${out}: it is not empty; name another directory`);
  if (isDry || git(root, "tag", "--points-at", "HEAD").split("\n").includes(`v${version}`)) return;
  throw new Error(`cannot release ${version}: this commit has no tag v${version}; create it, or try with --dry-run`);
}

export function commitTimeMs(root: string): number {
  return Number(git(root, "show", "--no-patch", "--format=%ct", "HEAD")) * 1000;
}
