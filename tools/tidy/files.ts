import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A file of the repository. */
export interface SourceFile {
  /** Relative to the root, with `/`. */
  readonly path: string;
  readonly text: string;
}

/** A rule of the repository's own style, pure over a list of files. */
export interface Rule {
  readonly name: string;
  /** One line for each place that breaks the rule; none when all is well. */
  check(files: readonly SourceFile[]): string[];
}

const BINARY = /\.(png|jpg|ico|woff2?|parquet|gz|zst|pdf|wasm)$/;

/** Every text file that git tracks, or would track once it is added. */
export function listFiles(root: string): SourceFile[] {
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const names = execFileSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 }).split("\0");
  return names
    .filter((path) => path !== "" && !BINARY.test(path) && existsSync(join(root, path)))
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}

export function isTest(path: string): boolean {
  return /\.(test|full)\.ts$|^tests\/|\/testing(\/|\.ts$)|^server\/src\/stores\/\w+\/contract(\/|\.ts$)/.test(path);
}

export function isCode(path: string): boolean {
  return /\.(ts|mjs)$/.test(path);
}

/** Number of the line, from 1, that holds the character at `index`. */
export function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}
