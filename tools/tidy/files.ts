import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";

/** A file of the repository. */
export interface SourceFile {
  /** Relative to the root, with `/`. */
  readonly path: string;
  readonly text: string;
}

/** A style rule of the repository: a pure function of a list of files. */
export interface Rule {
  readonly name: string;
  /** Returns one line for each place that breaks the rule. */
  check(files: readonly SourceFile[]): string[];
}

const BINARY = /\.(png|jpg|ico|woff2?|parquet|gz|zst|pdf|wasm)$/;

/** Returns every text file that git tracks, or that it would track once it is added. */
export function listFiles(root: string): SourceFile[] {
  return gitFiles(root, ["--cached", "--others", "--exclude-standard"])
    .filter((path) => !BINARY.test(path))
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}

/** Returns every existing file that git tracks. */
export function trackedFiles(root: string): string[] {
  return gitFiles(root, ["--cached"]);
}

function gitFiles(root: string, which: readonly string[]): string[] {
  const args = ["ls-files", "-z", ...which];
  const names = execFileSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 }).split("\0");
  return names.filter((path) => path !== "" && existsSync(join(root, path)));
}

/** Files that are not TypeScript or JavaScript: text, data, settings, and client programs in other languages. */
const NOT_CODE = new Set(
  ".md .json .yaml .tpl .service .txt .css .html .svg .sum .mod .py .go .java .gitignore .npmrc .editorconfig LICENSE .ci/run".split(
    " ",
  ),
);

/** Returns tracked files that may contain code and that no rule read. An unknown extension counts as code. */
export function unreadFiles(tracked: readonly string[], read: ReadonlySet<string>): string[] {
  return tracked.filter((path) => {
    if (read.has(path) || BINARY.test(path) || NOT_CODE.has(path)) return false;
    const name = path.slice(path.lastIndexOf("/") + 1);
    return !NOT_CODE.has(name) && !NOT_CODE.has(extname(name));
  });
}

export function isTest(path: string): boolean {
  return /\.(test|full)\.ts$|^tests\/|\/testing(\/|\.ts$)/.test(path);
}

export function isCode(path: string): boolean {
  return /\.(ts|tsx|mts|mjs|cjs|js)$/.test(path);
}

/** Returns the number of the line, from 1, with the character at `index`. */
export function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}
