import { isCode, lineAt, type Rule, type SourceFile } from "./files.ts";

/** Creates a rule that forbids text matching a pattern. */
function banned(name: string, pattern: RegExp, message: string, applies: (path: string) => boolean = () => true): Rule {
  return {
    name,
    check: (files) =>
      files
        .filter(({ path }) => applies(path))
        .flatMap((file) => [...file.text.matchAll(pattern)].map((match) => finding(file, match, message))),
  };
}

function finding(file: SourceFile, match: RegExpExecArray, message: string): string {
  return `${file.path}:${lineAt(file.text, match.index)}: ${match[0].trim()}: ${message}`;
}

// The patterns are concatenated, so that this file does not match itself.
const OPEN_WORK = new RegExp(`\\b(?:TO${"DO"}(?!\\([^)]+\\): \\S)|FIX${"ME"})\\b`, "g");
const MACHINE_PATH = /(?<![\w.:~\])}-])\/(?:work|root|home)\/[\w.]+/g;
const REGISTRY_HOST = /\bhttps?:\/\/(?:registry|packages|npm)\.(?!example\b)[\w.-]+/g;
const LINT_DISABLE = /(?:oxlint|eslint)-disable(?!.* -- \S).*/g;
const REGISTRY_SETTING = /^\s*(?:registry|@[\w-]+:registry|\/\/.*)=.*/gm;

export const TEXT_RULES: readonly Rule[] = [
  banned("open-work", OPEN_WORK, "name what would trigger it, as in TO" + "DO(when X): do Y", isCode),
  banned("machine-paths", MACHINE_PATH, "a path of one machine"),
  banned("registry-hosts", REGISTRY_HOST, "remove it: the reader's settings choose the registry"),
  banned("lock-file-hosts", /"resolved": "\w+:.*/g, "the lock file names no host; see .npmrc", (path) =>
    path.endsWith("package-lock.json"),
  ),
  banned("registry-settings", REGISTRY_SETTING, "remove it: the reader's settings choose the registry", (path) =>
    path.endsWith(".npmrc"),
  ),
  banned("lint-disable", LINT_DISABLE, "say why after ` -- `", isCode),
];
