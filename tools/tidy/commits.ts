import { execFileSync } from "node:child_process";

const SUBJECT_CHARS_MAX = 72;
/** Commits before the one that added this file are not checked. */
const SINCE = "tools/tidy/commits.ts";

export interface Commit {
  readonly hash: string;
  readonly subject: string;
}

/** Returns the commits since this check was added; empty in a copy without history. */
export function commitsSinceCheck(root: string): Commit[] {
  const git = (...args: string[]): string => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  const added = git("log", "--diff-filter=A", "--format=%H", "--", SINCE).split("\n").at(-1) ?? "";
  if (added === "") return [];
  const format = "--format=%h%x09%s";
  const lines = [...git("log", format, `${added}..HEAD`).split("\n"), git("log", "-1", format, added)];
  return lines
    .filter((line) => line !== "")
    .map((line) => {
      const [hash = "", ...subject] = line.split("\t");
      return { hash, subject: subject.join("\t") };
    });
}

/** Returns the subjects that a list of commits would cut. */
export function longSubjects(commits: readonly Commit[]): string[] {
  return commits
    .filter(({ subject }) => subject.length > SUBJECT_CHARS_MAX)
    .map(({ hash, subject }) => `${hash}: ${subject.length} characters, at most ${SUBJECT_CHARS_MAX}: ${subject}`);
}
